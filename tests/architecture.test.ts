/** Checks the rules of docs/architecture against the sources. Each rule is shown to fail on an invented offender. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { INVENTORY, toTableName } from '../src/inventory/resources.ts'
import { cycles } from '../testing/rules/cycles.ts'

/** Path from src/ -> text. */
type Sources = ReadonlyMap<string, string>
type Import = { readonly from: string; readonly to: string; readonly isType: boolean; readonly isLazy: boolean }

const ROOT = import.meta.dirname

const all: Sources = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
)
const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('testing/')
const sources: Sources = new Map([...all].filter(([path]) => !isTest(path)))

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

/** Returns the imports of a source; imports of files within src/ by their path from it. */
const importsOf = (from: string, text: string): Import[] =>
  [...text.matchAll(IMPORT)].map(([, isType, fixed, dynamic]) => {
    const target = fixed ?? dynamic ?? ''
    const to = target.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(from), target)) : target
    return { from, to, isType: isType !== undefined, isLazy: dynamic !== undefined }
  })

const allImports = (files: Sources): Import[] => [...files].flatMap(([path, text]) => importsOf(path, text))
const arrow = ({ from, to }: Import): string => `${from} -> ${to}`

/** The layers from the inside out. A file may import its own layer and the layers before it. */
const LAYERS = [
  /^net\//,
  /^platform\//,
  /^scanner\//,
  /^template\//,
  /^(features|convert|migrations|resource)\//,
  /^demo\//,
  /^recovery\//,
  /^database-copy\//,
  /^compose\.ts$/,
  /^server\.ts$/,
  /^cli\.ts$/,
  /^main\.ts$/,
]
const layerOf = (path: string): number => LAYERS.findIndex((layer) => layer.test(path))

const upwardImports = (files: Sources): string[] =>
  allImports(files)
    .filter(({ from, to }) => (layerOf(to) === -1 ? files.has(to) : layerOf(to) > layerOf(from)))
    .map(arrow)

const outsideNet = (files: Sources): string[] =>
  allImports(files)
    .filter(({ from, to }) => from.startsWith('net/') && !to.startsWith('net/'))
    .map(arrow)

/** The scanner runs in a separate process and imports nothing of the server. */
const outsideScanner = (files: Sources): string[] =>
  allImports(files)
    .filter(({ from, to }) => from.startsWith('scanner/') && layerOf(to) !== -1 && !/^(net|scanner)\//.test(to))
    .map(arrow)

/**
 * The files of the scanner that the server may import: messages, process control, and calculations that need no
 * process.
 */
const SCANNER_DOORS = new Set(['protocol', 'process', 'targets', 'estimate'].map((name) => `scanner/${name}.ts`))

const throughTheScanner = (files: Sources): string[] =>
  allImports(files)
    .filter(
      ({ from, to }) => /^(platform|features)\//.test(from) && to.startsWith('scanner/') && !SCANNER_DOORS.has(to),
    )
    .map(arrow)

/** The mechanism of processes with bounds is loaded by each of them, so it stays small. */
const outsideChild = (files: Sources): string[] =>
  allImports(files)
    .filter(({ from, to }) => from.startsWith('base/child/') && layerOf(to) !== -1)
    .filter(({ to }) => !to.startsWith('base/child/'))
    .map(arrow)

/** The renderer of templates is like the scanner. Only its entry knows the errors and the queue of the server. */
const OF_TEMPLATE_ENTRY = new Set(['contract/errors.ts', 'base/jobs/fair-lane.ts'])

const outsideTemplate = (files: Sources): string[] =>
  allImports(files)
    .filter(({ from, to }) => from.startsWith('template/') && layerOf(to) !== -1)
    .filter(({ to }) => !/^(net|platform\/child|template)\//.test(to))
    .filter(({ from, to }) => from !== 'template/process.ts' || !OF_TEMPLATE_ENTRY.has(to))
    .map(arrow)

/** The files that the server may import: the entry and its messages. */
const TEMPLATE_DOORS = new Set(['template/process.ts', 'template/protocol.ts'])

const throughTheTemplate = (files: Sources): string[] =>
  allImports(files)
    .filter(
      ({ from, to }) => !/^(template\/|cli\.ts$)/.test(from) && to.startsWith('template/') && !TEMPLATE_DOORS.has(to),
    )
    .map(arrow)

/** The converters write nothing: they know the contracts and the rules of the inventory, and neither import nor export. */
const CONVERT_ROOMS = /^(net|convert|platform\/(child|cli|contract|csv|runtime|security))\//
const CONVERT_CONTRACTS = new Set([
  'inventory/resources.ts',
  'resource/custom/fields.ts',
  'resource/custom/pattern.ts',
  'resource/custom/rules.ts',
  'resource/custom/values.ts',
  'inventory/devices/schema.ts',
  'inventory/relationships/api.ts',
  'inventory/spaces/fields.ts',
])

const outsideConvert = (files: Sources): string[] =>
  allImports(files)
    .filter(({ from, to }) => from.startsWith('convert/') && layerOf(to) !== -1)
    .filter(({ to }) => !CONVERT_ROOMS.test(to) && !CONVERT_CONTRACTS.has(to))
    .map(arrow)

/** The files of the converters that others may import: the calls, the names of the formats, and the messages. */
const CONVERT_DOORS = new Set(['convert', 'formats', 'protocol'].map((name) => `convert/${name}.ts`))

const throughTheConverters = (files: Sources): string[] =>
  allImports(files)
    .filter(
      ({ from, to }) => !/^(convert\/|cli\.ts$)/.test(from) && to.startsWith('convert/') && !CONVERT_DOORS.has(to),
    )
    .map(arrow)

const featureOf = (path: string): string | undefined => /^features\/([^/]+)\/./.exec(path)?.[1]

/** The files of a feature that others may import besides api.ts, schema.ts and <noun>.ts. */
const SHOWN = new Set([
  'inventory/cables/connect.ts',
  'inventory/cables/keys.ts',
  'inventory/custom-fields/described.ts',
  'resource/custom/engine.ts',
  'resource/custom/fields.ts',
  'resource/custom/lists.ts',
  'resource/custom/pattern.ts',
  'resource/custom/row-lists.ts',
  'resource/custom/rows.ts',
  'resource/custom/rules.ts',
  'resource/custom/sorted.ts',
  'resource/custom/values.ts',
  'inventory/devices/address-names.ts',
  'inventory/devices/moves/rename-interface.ts',
  'inventory/devices/list/search.ts',
  'dns/zones/file.ts',
  'record/events/catalogue.ts',
  'record/events/withheld.ts',
  'record/events/record.ts',
  'people/revoke-access/end-credentials.ts',
  'people/factors/requirement.ts',
  'people/factors/sign-in-factor.ts',
  'record/history/items.ts',
  'record/history/kind-names.ts',
  'record/history/kinds.ts',
  'record/history/visibility.ts',
  'record/history/visible-items.ts',
  'record/history/steps.ts',
  'people/keys/limits.ts',
  'people/keys/uses.ts',
  'service/mcp/changes.ts',
  'inventory/networks/contents.ts',
  'inventory/networks/membership.ts',
  'inventory/networks/move-to-space.ts',
  'inventory/pools/free-space.ts',
  'inventory/pools/pool-finder.ts',
  'inventory/ports/end.ts',
  'inventory/ports/missing.ts',
  'inventory/ports/store.ts',
  'inventory/racks/mount.ts',
  'inventory/racks/placement.ts',
  'inventory/racks/store.ts',
  'people/roles/catalogue.ts',
  'people/scopes/areas.ts',
  'people/scopes/document-scopes.ts',
  'people/scopes/overlaps.ts',
  'resource/scoped/scoped-db.ts',
  'resource/scoped/views.ts',
  'resource/scoped/scoped-resources.ts',
  'people/scopes/update-areas.ts',
  'people/scopes/store.ts',
  'people/sessions/credential-check.ts',
  'people/sessions/sign-in.ts',
  'people/sessions/start.ts',
  'inventory/spaces/cli-space.ts',
  'inventory/spaces/fields.ts',
  'inventory/spaces/keys.ts',
  'inventory/spaces/members.ts',
  'people/users/account.ts',
  'people/users/covering.ts',
  'people/users/grants.ts',
  'people/users/grants-api.ts',
  'people/users/provider-users.ts',
  'people/users/username.ts',
])

const isShown = ({ to, isType }: Import): boolean => {
  const feature = featureOf(to)
  const file = to.slice(`features/${feature}/`.length)
  // Features that join a table may import its row type.
  return ['api.ts', 'schema.ts', `${feature}.ts`].includes(file) || SHOWN.has(to) || (isType && file === 'table.ts')
}

const betweenFeatures = (files: Sources): Import[] =>
  allImports(files).filter(({ from, to }) => {
    const [own, other] = [featureOf(from), featureOf(to)]
    return own !== undefined && other !== undefined && own !== other
  })

const hiddenImports = (files: Sources): string[] =>
  betweenFeatures(files)
    .filter((one) => !isShown(one))
    .map(arrow)

/** Contracts are data and may be imported from anywhere. */
const featureCycles = (files: Sources): string[] =>
  cycles(
    betweenFeatures(files)
      .filter(({ to }) => !/\/(api|schema)\.ts$/.test(to))
      .map(({ from, to }) => [featureOf(from) ?? '', featureOf(to) ?? '']),
  )

const fileCycles = (files: Sources): string[] => cycles(allImports(files).map(({ from, to }) => [from, to]))

const BROWSER_ENTRIES = /^features\/[^/]+\/(api|schema)\.ts$|^features\/index\.ts$|^platform\/cli\/client\.ts$/
const SERVER_ONLY = /^(node:|bun$|bun:|kysely|hono|@modelcontextprotocol)/
const SERVER_GLOBAL = /\b(Bun|process|Buffer)\.\w/

/** Returns the imports that fail in a browser, in a contract or its dependencies. Type-only imports are erased. */
const notForBrowsers = (files: Sources): string[] => {
  const seen = new Set<string>()
  const found: string[] = []
  const visit = (path: string) => {
    const text = files.get(path)
    if (text === undefined || seen.has(path)) return
    seen.add(path)
    if (SERVER_GLOBAL.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')))
      found.push(`${path} uses a global of the server`)
    for (const one of importsOf(path, text)) {
      if (one.isType) continue
      if (SERVER_ONLY.test(one.to)) found.push(arrow(one))
      visit(one.to)
    }
  }
  for (const path of files.keys()) if (BROWSER_ENTRIES.test(path)) visit(path)
  return found
}

/** `plat serve` loads these and their dependencies before it answers, except lazy imports. */
const START = ['main.ts', 'cli.ts', 'server.ts']
/**
 * Each takes milliseconds to load, and none is needed before the first request. `bun` creates its exports on import,
 * such as its SQL client.
 */
const SLOW = /^(node:(http|https|net|tls|dns|dns\/promises|zlib)|bun|@modelcontextprotocol\/.+)$/

const slowStarts = (files: Sources): string[] => {
  const reached = new Set(START)
  const found: string[] = []
  // A set iterates over elements that are added during the iteration.
  for (const path of reached)
    for (const one of importsOf(path, files.get(path) ?? '')) {
      if (one.isType || one.isLazy) continue
      if (SLOW.test(one.to)) found.push(arrow(one))
      reached.add(one.to)
    }
  return found
}

const testingImports = (files: Sources): string[] =>
  allImports(files)
    .filter(({ to }) => to.startsWith('testing/'))
    .map(arrow)

/** Raw writes would bypass the revision counter on which every ETag depends. */
const rawWrites = (files: Sources): string[] =>
  [...files]
    .filter(
      ([path, text]) =>
        path.startsWith('features/') &&
        /sql(\.raw)?(<[^`(]*>)?[`(]\s*[`']?\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i.test(text),
    )
    .map(([path]) => path)

const MAX_LINES = 400
const longFiles = (files: Sources): string[] =>
  [...files]
    .filter(([path, text]) => !path.startsWith('migrations/') && text.split('\n').length - 1 > MAX_LINES)
    .map(([path]) => path)

/**
 * The tables of each feature: the keys of the types `...Tables` in its `table.ts`. A resource of the inventory without one
 * owns the table of its name.
 */
const ownedTables = (files: Sources): ReadonlyMap<string, readonly string[]> =>
  new Map([
    ...INVENTORY.map((name) => [name, [toTableName(name)]] as const),
    ...[...files].flatMap(([path, text]): (readonly [string, readonly string[]])[] => {
      const feature = /^features\/([^/]+)\/table\.ts$/.exec(path)?.[1]
      if (feature === undefined) return []
      const [, short, long = ''] = /^export type \w+Tables = \{(?: (.*) \}$|\n([\s\S]*?)^\})/m.exec(text) ?? []
      // The columns of a row that is written in place are no tables.
      const names = (short ?? long).replace(/: \{[^}]*\}/g, ': Row').matchAll(/(\w+): /g)
      return [[feature, [...names].map(([, name = '']) => name)] as const]
    }),
  ])
const OWNED = ownedTables(sources)
/**
 * `deleteFrom(table)` in a loop: over the feature's own tables, or over the sealed columns that every feature
 * registers, or the areas of the objects of several features.
 */
const LOOPS_OVER_TABLES = new Set([
  'inventory/devices/store.ts',
  'people/scopes/area-store.ts',
  'secrets/secrets/store.ts',
])

const WRITE = /\b(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto|createLeases)\(\s*([^),]+)/g

/** `named-store.ts` writes the table that its caller names. */
const NAMED_STORE = /\bnamedStore\('(\w+)'/g

const foreignNamedStores = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) => {
    const feature = featureOf(path)
    const tables = [...text.matchAll(NAMED_STORE)].flatMap(([, table = '']) => table)
    return tables.filter((table) => table !== feature).map((table) => `${path} writes ${table}`)
  })

const foreignWrites = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) => {
    const feature = featureOf(path)
    if (feature === undefined) return []
    return [...text.matchAll(WRITE)].flatMap(([, argument = '']) => {
      const table = /^'(\w+)'$/.exec(argument.trim())?.[1]
      if (!/(^|[/-])store\.ts$/.test(path)) return [`${path} writes ${argument} outside of a store`]
      if (table === undefined)
        return LOOPS_OVER_TABLES.has(path) ? [] : [`${path} writes ${argument}, which is no literal`]
      return OWNED.get(feature)?.includes(table) ? [] : [`${path} writes ${table}, which ${feature} does not own`]
    })
  })

type Rule = {
  readonly name: string
  readonly check: (files: Sources) => string[]
  /** An invented tree that breaks the rule. */
  readonly offender: Readonly<Record<string, string>>
}

const rules: readonly Rule[] = [
  {
    name: 'imports point inwards: main -> cli -> server -> compose -> recovery -> demo -> features -> template -> scanner -> platform -> net',
    check: upwardImports,
    offender: { 'kernel/kernel.ts': "import type { Tables } from '../../features/tables.ts'" },
  },
  {
    name: 'net imports nothing outside net',
    check: outsideNet,
    offender: { 'net/ip.ts': "import { isIP } from 'node:net'" },
  },
  {
    name: 'the scanner imports nothing of the program but net',
    check: outsideScanner,
    offender: { 'scanner/scan.ts': "import { AppError } from '../platform/contract/errors.ts'" },
  },
  {
    name: 'of the scanner, features use only what it shows',
    check: throughTheScanner,
    offender: { 'discovery/scans/scans.ts': "import { runScan } from '../../../scanner/scan.ts'" },
  },
  {
    name: 'the mechanism of processes with bounds imports nothing of the program',
    check: outsideChild,
    offender: { 'base/child/child.ts': "import { AppError } from '../contract/errors.ts'" },
  },
  {
    name: 'the renderer of templates imports nothing of the program but net and the mechanism of its process, and its entry the errors and the queue',
    check: outsideTemplate,
    offender: { 'template/child.ts': "import { AppError } from '../platform/contract/errors.ts'" },
  },
  {
    name: 'the renderer of templates is reached through its entry',
    check: throughTheTemplate,
    offender: { 'exchange/feeds/content.ts': "import { createEngine } from '../../template/engine.ts'" },
  },
  {
    name: 'the converters import only net, parts of the platform, and contracts of the inventory',
    check: outsideConvert,
    offender: { 'convert/csv.ts': "import { getRules } from '../features/estate/apply/resources.ts'" },
  },
  {
    name: 'the converters are reached through their doors',
    check: throughTheConverters,
    offender: { 'exchange/estate/estate.ts': "import { convertCsv } from '../../convert/csv.ts'" },
  },
  {
    name: 'a feature uses of another only what that shows',
    check: hiddenImports,
    offender: { 'inventory/pools/pools.ts': "import {\n  find,\n} from '../networks/store.ts'" },
  },
  {
    name: 'features form no cycle',
    check: featureCycles,
    offender: {
      'inventory/pools/pools.ts': "import { mustGet } from '../networks/networks.ts'",
      'inventory/networks/networks.ts': "import type { Pool } from '../pools/pools.ts'",
    },
  },
  {
    name: 'files form no cycle, of types either',
    check: fileCycles,
    offender: { 'net/a.ts': "import { b } from './b.ts'", 'net/b.ts': "import type { A } from './a.ts'" },
  },
  {
    name: 'contracts and all they reach run in a browser',
    check: notForBrowsers,
    offender: {
      'inventory/pools/api.ts': "import { text } from '../../platform/contract/fields.ts'",
      'contract/fields/fields.ts': "import { readFileSync } from 'node:fs'",
    },
  },
  {
    name: 'contracts and all they reach use no global of the server',
    check: notForBrowsers,
    offender: { 'inventory/pools/api.ts': 'export const id = () => Bun.randomUUIDv7()' },
  },
  {
    name: 'a start loads nothing that is slow to load',
    check: slowStarts,
    offender: {
      'server.ts': "import { createOutbound } from '../src/base/security/outbound.ts'",
      'base/security/outbound.ts': "import { request } from 'node:https'",
    },
  },
  {
    name: 'only tests use testing',
    check: testingImports,
    offender: { 'inventory/pools/pools.ts': "const { testApp } = await import('../../testing/app.ts')" },
  },
  {
    name: 'features write through Kysely, not by raw SQL',
    check: rawWrites,
    offender: { 'inventory/pools/store.ts': 'sql<Row>`\n  DELETE FROM pools`' },
  },
  {
    name: `files have at most ${MAX_LINES} lines`,
    check: longFiles,
    offender: { 'net/ip.ts': 'x\n'.repeat(MAX_LINES + 1) },
  },
  {
    name: 'a store writes its own tables alone, and nothing else writes',
    check: foreignWrites,
    offender: { 'inventory/pools/store.ts': "ctx.db.deleteFrom('networks')" },
  },
  {
    name: 'a feature has the named store of its own table alone',
    check: foreignNamedStores,
    offender: { 'inventory/pools/pools.ts': "const store = namedStore('datacenters', Datacenter)" },
  },
  {
    name: 'only a store writes',
    check: foreignWrites,
    offender: { 'inventory/pools/pools.ts': "ctx.db.insertInto('pools')" },
  },
]

describe.each(rules)('$name', ({ check, offender }) => {
  test('holds', () => expect(check(sources)).toEqual([]))
  test('fails where it is broken', () => expect(check(new Map(Object.entries(offender)))).not.toEqual([]))
})

test('every table has one owner', () => {
  const tables = [...OWNED.values()].flat()
  expect(new Set(tables).size).toBe(tables.length)
})

test('the imports are seen in every form', () => {
  const text =
    "import { a } from './a.ts'\nimport type { b } from './b.ts'\nimport './c.ts'\nimport {\n  d,\n} from 'd'\nawait import('./e.ts')"
  expect(importsOf('net/x.ts', text).map(({ to, isType }) => [to, isType])).toEqual([
    ['net/a.ts', false],
    ['net/b.ts', true],
    ['net/c.ts', false],
    ['d', false],
    ['net/e.ts', false],
  ])
})
