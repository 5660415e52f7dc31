/** Checks the rules of docs/architecture against the sources. Each rule is shown to fail on an invented offender. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { INVENTORY, toTableName } from './features/inventory.ts'
import { cycles } from './testing/cycles.ts'

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
    .filter(({ from, to }) => from.startsWith('platform/child/') && layerOf(to) !== -1)
    .filter(({ to }) => !to.startsWith('platform/child/'))
    .map(arrow)

/** The renderer of templates is like the scanner. Only its entry knows the errors and the queue of the server. */
const OF_TEMPLATE_ENTRY = new Set(['platform/contract/errors.ts', 'platform/runtime/fair-lane.ts'])

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
  'features/inventory.ts',
  'features/custom-fields/fields.ts',
  'features/custom-fields/pattern.ts',
  'features/custom-fields/rules.ts',
  'features/custom-fields/values.ts',
  'features/devices/schema.ts',
  'features/relationships/api.ts',
  'features/spaces/fields.ts',
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
  'features/cables/connect.ts',
  'features/cables/keys.ts',
  'features/custom-fields/described.ts',
  'features/custom-fields/engine.ts',
  'features/custom-fields/fields.ts',
  'features/custom-fields/lists.ts',
  'features/custom-fields/pattern.ts',
  'features/custom-fields/row-lists.ts',
  'features/custom-fields/rows.ts',
  'features/custom-fields/rules.ts',
  'features/custom-fields/sorted.ts',
  'features/custom-fields/values.ts',
  'features/devices/address-names.ts',
  'features/devices/rename-interface.ts',
  'features/devices/search.ts',
  'features/dns-zones/file.ts',
  'features/events/catalogue.ts',
  'features/events/withheld.ts',
  'features/events/record.ts',
  'features/revoke-access/end-credentials.ts',
  'features/factors/requirement.ts',
  'features/factors/sign-in-factor.ts',
  'features/history/items.ts',
  'features/history/kind-names.ts',
  'features/history/kinds.ts',
  'features/history/visibility.ts',
  'features/history/visible-items.ts',
  'features/history/steps.ts',
  'features/keys/limits.ts',
  'features/keys/uses.ts',
  'features/mcp/changes.ts',
  'features/networks/contents.ts',
  'features/networks/membership.ts',
  'features/networks/move-to-space.ts',
  'features/pools/free-space.ts',
  'features/pools/pool-finder.ts',
  'features/ports/end.ts',
  'features/ports/missing.ts',
  'features/ports/store.ts',
  'features/racks/mount.ts',
  'features/racks/placement.ts',
  'features/racks/store.ts',
  'features/roles/catalogue.ts',
  'features/scopes/areas.ts',
  'features/scopes/document-scopes.ts',
  'features/scopes/overlaps.ts',
  'features/scopes/scoped-db.ts',
  'features/scopes/views.ts',
  'features/scopes/scoped-resources.ts',
  'features/scopes/update-areas.ts',
  'features/scopes/store.ts',
  'features/sessions/credential-check.ts',
  'features/sessions/sign-in.ts',
  'features/sessions/start.ts',
  'features/spaces/cli-space.ts',
  'features/spaces/fields.ts',
  'features/spaces/keys.ts',
  'features/spaces/members.ts',
  'features/users/account.ts',
  'features/users/covering.ts',
  'features/users/grants.ts',
  'features/users/grants-api.ts',
  'features/users/provider-users.ts',
  'features/users/username.ts',
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
/** `updateTable(table)` in a loop over the sealed columns that every feature registers. */
const LOOPS_OVER_TABLES = new Set(['features/secrets/store.ts'])

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

const INVENTORY_TABLES: ReadonlySet<string> = new Set(INVENTORY.map(toTableName))

/** Writes of the tables of the inventory, and calls of its record, outside of `resource`. */
const unstoredWrites = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) => {
    if (featureOf(path) === undefined) return []
    const tables = [...text.matchAll(WRITE)].flatMap(
      ([, argument = '']) => /^'(\w+)'$/.exec(argument.trim())?.[1] ?? [],
    )
    const records = [...text.matchAll(/(?<!const )\b(?:recordCustom|createObjectRefs|ctx\.changed)\(/g)]
    return [
      ...tables.filter((table) => INVENTORY_TABLES.has(table)).map((table) => `${path} writes ${table}`),
      ...records.map(([call]) => `${path} calls ${call}`),
    ]
  })

/** Casts of names that are known at run time to a table of the inventory. */
const tableCasts = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) =>
    featureOf(path) === undefined
      ? []
      : [...text.matchAll(/ as '(\w+)'/g)].flatMap(([cast, table = '']) =>
          INVENTORY_TABLES.has(table) ? [`${path} has${cast}`] : [],
        ),
  )

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
    offender: { 'platform/operation/kernel.ts': "import type { Tables } from '../../features/tables.ts'" },
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
    offender: { 'features/discovery/scans/scans.ts': "import { runScan } from '../../../scanner/scan.ts'" },
  },
  {
    name: 'the mechanism of processes with bounds imports nothing of the program',
    check: outsideChild,
    offender: { 'platform/child/child.ts': "import { AppError } from '../contract/errors.ts'" },
  },
  {
    name: 'the renderer of templates imports nothing of the program but net and the mechanism of its process, and its entry the errors and the queue',
    check: outsideTemplate,
    offender: { 'template/child.ts': "import { AppError } from '../platform/contract/errors.ts'" },
  },
  {
    name: 'the renderer of templates is reached through its entry',
    check: throughTheTemplate,
    offender: { 'features/feeds/content.ts': "import { createEngine } from '../../template/engine.ts'" },
  },
  {
    name: 'the converters import only net, parts of the platform, and contracts of the inventory',
    check: outsideConvert,
    offender: { 'convert/csv.ts': "import { getRules } from '../features/estate/apply/resources.ts'" },
  },
  {
    name: 'the converters are reached through their doors',
    check: throughTheConverters,
    offender: { 'features/estate/estate.ts': "import { convertCsv } from '../../convert/csv.ts'" },
  },
  {
    name: 'a feature uses of another only what that shows',
    check: hiddenImports,
    offender: { 'features/pools/pools.ts': "import {\n  find,\n} from '../networks/store.ts'" },
  },
  {
    name: 'features form no cycle',
    check: featureCycles,
    offender: {
      'features/pools/pools.ts': "import { mustGet } from '../networks/networks.ts'",
      'features/networks/networks.ts': "import type { Pool } from '../pools/pools.ts'",
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
      'features/pools/api.ts': "import { text } from '../../platform/contract/fields.ts'",
      'platform/contract/fields.ts': "import { readFileSync } from 'node:fs'",
    },
  },
  {
    name: 'contracts and all they reach use no global of the server',
    check: notForBrowsers,
    offender: { 'features/pools/api.ts': 'export const id = () => Bun.randomUUIDv7()' },
  },
  {
    name: 'a start loads nothing that is slow to load',
    check: slowStarts,
    offender: {
      'server.ts': "import { createOutbound } from './platform/security/outbound.ts'",
      'platform/security/outbound.ts': "import { request } from 'node:https'",
    },
  },
  {
    name: 'only tests use src/testing',
    check: testingImports,
    offender: { 'features/pools/pools.ts': "const { testApp } = await import('../../testing/app.ts')" },
  },
  {
    name: 'features write through Kysely, not by raw SQL',
    check: rawWrites,
    offender: { 'features/pools/store.ts': 'sql<Row>`\n  DELETE FROM pools`' },
  },
  {
    name: `files have at most ${MAX_LINES} lines`,
    check: longFiles,
    offender: { 'net/ip.ts': 'x\n'.repeat(MAX_LINES + 1) },
  },
  {
    name: 'a store writes its own tables alone, and nothing else writes',
    check: foreignWrites,
    offender: { 'features/pools/store.ts': "ctx.db.deleteFrom('networks')" },
  },
  {
    name: 'a feature has the named store of its own table alone',
    check: foreignNamedStores,
    offender: { 'features/pools/pools.ts': "const store = namedStore('datacenters', Datacenter)" },
  },
  {
    name: 'only the store of resources writes the tables of the inventory, and records their changes',
    check: unstoredWrites,
    offender: {
      'features/pools/store.ts': "ctx.db.insertInto('pools')",
      'features/ports/store.ts': "ctx.changed('port', { id, after })",
    },
  },
  {
    name: 'no feature casts a name to a table of the inventory',
    check: tableCasts,
    offender: { 'features/pools/store.ts': "db.selectFrom(table as 'device_types')" },
  },
  {
    name: 'only a store writes',
    check: foreignWrites,
    offender: { 'features/pools/pools.ts': "ctx.db.insertInto('pools')" },
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
