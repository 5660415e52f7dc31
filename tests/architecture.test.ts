/** Checks the rooms of CONTRIBUTING.md and further rules against the sources. Each rule is shown to fail on an invented offender. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { INVENTORY, toTableName } from '../src/inventory/resources.ts'
import { cycles } from '../testing/rules/cycles.ts'

/** Path from src/ -> text. */
type Sources = ReadonlyMap<string, string>
type Import = { readonly from: string; readonly to: string; readonly isType: boolean; readonly isLazy: boolean }

const ROOT = join(import.meta.dirname, '../src')

const all: Sources = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
)
const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.includes('/testing/')
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

const CONTRIBUTING = readFileSync(join(ROOT, '../CONTRIBUTING.md'), 'utf8')

type Room = { readonly name: string; readonly doors: readonly string[] }

/** The rooms of CONTRIBUTING.md in their order, with the files that any other room may import. */
const ROOMS: readonly Room[] = [...CONTRIBUTING.matchAll(/^\| `(\w+)` \|[^|]*\|([^|]*)\|$/gm)].map(
  ([, name = '', doors = '']) => ({
    name,
    doors: [...doors.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
  }),
)
const getRoom = (path: string): string => /^(\w+)\//.exec(path)?.[1] ?? ''
const getLevel = (path: string): number => ROOMS.findIndex(({ name }) => name === getRoom(path))

/** Returns true for a file that any room may import, wherever its room stands in the table. */
const isDoor = (path: string): boolean =>
  ROOMS.some(
    ({ name, doors }) => name === getRoom(path) && doors.some((door) => new Bun.Glob(`${name}/${door}`).match(path)),
  )

/** Imports between two rooms of src. */
const betweenRooms = (files: Sources): Import[] =>
  allImports(files).filter(
    ({ from, to }) => getLevel(from) !== -1 && getLevel(to) !== -1 && getRoom(from) !== getRoom(to),
  )

const upwardImports = (files: Sources): string[] =>
  betweenRooms(files)
    .filter(({ from, to }) => getLevel(to) > getLevel(from) && !isDoor(to))
    .map(arrow)

/** The rooms that run as processes of their own. */
const PROCESSES = ['convert', 'scanner', 'template']

const pastTheDoors = (files: Sources): string[] =>
  betweenRooms(files)
    .filter(({ to }) => PROCESSES.includes(getRoom(to)) && !isDoor(to))
    .map(arrow)

/** Folders that are no rooms, and files beside them. */
const outsideOfRooms = (files: Sources): string[] =>
  [...files.keys()].filter((path) => getLevel(path) === -1 && path !== 'main.ts')

/** What a room may import outside of itself. */
const ONLY: Readonly<Record<string, RegExp>> = {
  'net/': /^$/,
  // Each process loads it, so it stays small.
  'base/child/': /^$/,
  // The daemon is the parent of scans on another machine, and a command.
  'scanner/daemon/':
    /^(net|base|contract|scanner)\/|^database\/disk\/data-lock\.ts$|^surfaces\/cli\/(parse\/(command|usage-error)|output\/display)\.ts$/,
  'scanner/': /^(net\/|base\/child\/|contract\/errors\.ts$)/,
  'template/': /^(net\/|base\/(child\/|jobs\/fair-lane\.ts$)|contract\/errors\.ts$)/,
  // It knows the contracts and the rules of the inventory, and neither imports nor exports.
  'convert/':
    /^(net|contract|base)\/|^resource\/custom\/(fields|pattern|rules|schema|values)\.ts$|^inventory\/(resources|devices\/schema|relationships\/api|spaces\/fields)\.ts$|^exchange\/packs\/released\.ts$/,
}

const outsideOfItsBounds = (files: Sources): string[] =>
  allImports(files)
    .filter(({ from, to }) => {
      const [folder, allowed] = Object.entries(ONLY).find(([name]) => from.startsWith(name)) ?? []
      if (folder === undefined || to.startsWith(folder)) return false
      return (folder === 'net/' || getLevel(to) !== -1) && !allowed?.test(to)
    })
    .map(arrow)

const MAX_FILES = 20
/** Each release adds its files, and none ever moves. */
const MIGRATIONS = 'database/migrations'

const crowded = (files: Sources): string[] =>
  [...Map.groupBy(files.keys(), (path) => dirname(path))]
    .filter(([folder, paths]) => folder !== MIGRATIONS && paths.length > MAX_FILES)
    .map(([folder, paths]) => `${folder} has ${paths.length} files`)

const fileCycles = (files: Sources): string[] => cycles(allImports(files).map(({ from, to }) => [from, to]))

const BROWSER_ENTRIES =
  /^(?!convert|surfaces)\w+\/(.*\/)?([\w-]+-)?(api|schema)\.ts$|^app\/contracts\.ts$|^surfaces\/cli\/connection\/client\.ts$/
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
const START = ['main.ts', 'app/cli.ts', 'app/server.ts']
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
    .filter(({ to }) => to.startsWith('../testing/'))
    .map(arrow)

/** Raw writes would bypass the revision counter on which every ETag depends. */
const rawWrites = (files: Sources): string[] =>
  [...files]
    .filter(
      ([path, text]) =>
        !path.startsWith('database/') &&
        /sql(\.raw)?(<[^`(]*>)?[`(]\s*[`']?\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i.test(text),
    )
    .map(([path]) => path)

const MAX_LINES = 400
const longFiles = (files: Sources): string[] =>
  [...files]
    .filter(([path, text]) => !path.startsWith(MIGRATIONS) && text.split('\n').length - 1 > MAX_LINES)
    .map(([path]) => path)

/**
 * The tables of each folder: the keys of the types `...Tables` in its `table.ts`. A resource without one owns the table of its name.
 */
const ownedTables = (files: Sources): ReadonlyMap<string, readonly string[]> => {
  const declared = [...files].flatMap(([path, text]): (readonly [string, readonly string[]])[] => {
    const folder = /^(.+)\/table\.ts$/.exec(path)?.[1]
    const [, short, long = ''] = /^export type \w+Tables = \{(?: (.*) \}$|\n([\s\S]*?)^\})/m.exec(text) ?? []
    if (folder === undefined || (short ?? long) === '') return []
    // The columns of a row that is written in place are no tables.
    const names = (short ?? long).replace(/: \{[^}]*\}/g, ': Row').matchAll(/(\w+): /g)
    return [[folder, [...names].map(([, name = '']) => name)] as const]
  })
  const taken = new Set(declared.flatMap(([, tables]) => tables))
  const plain = INVENTORY.filter((name) => !taken.has(toTableName(name)))
  const all = [...declared, ...plain.map((name) => [`inventory/${name}`, [toTableName(name)]] as const)]
  const byFolder = Map.groupBy(all, ([folder]) => folder)
  return new Map([...byFolder].map(([folder, some]) => [folder, some.flatMap(([, tables]) => tables)]))
}
const OWNED = ownedTables(sources)
/** `updateTable(table)` in a loop over the sealed columns that every feature registers. */
const LOOPS_OVER_TABLES = new Set(['secrets/secrets/store.ts'])

const WRITE = /\b(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto|createLeases)\(\s*([^),]+)/g

/** Rooms and folders that write tables of any feature: engines, migrations, and copies of whole databases. */
const WRITERS = /^(database|kernel|resource\/[\w-]+\.ts|service\/(recovery|database-copy))/

/** Returns the tables that the folder of a file, or the nearest folder around it, owns. */
const findOwned = (path: string): readonly string[] | undefined => {
  const folder = dirname(path)
  return folder === '.' ? undefined : (OWNED.get(folder) ?? findOwned(folder))
}

const foreignWrites = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) => {
    if (WRITERS.test(path)) return []
    return [...text.matchAll(WRITE)].flatMap(([, argument = '']) => {
      const table = /^'(\w+)'$/.exec(argument.trim())?.[1]
      if (!/(^|[/-])store\.ts$/.test(path)) return [`${path} writes ${argument} outside of a store`]
      if (table === undefined)
        return LOOPS_OVER_TABLES.has(path) ? [] : [`${path} writes ${argument}, which is no literal`]
      return findOwned(path)?.includes(table) ? [] : [`${path} writes ${table}, which its folder does not own`]
    })
  })

/** The room of the database has functions for the differences between the engines. */
const engineQuestions = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) =>
    !path.startsWith('database/') && /\b(?:hasOneWriter|isInProcess)\b/.test(text) ? [path] : [],
  )

const FEATURES = /^(answers|discovery|dns|exchange|inventory|people|record|resource)\//
const moduleMaps = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) => (FEATURES.test(path) && /^const \w+ = new WeakMap\b/m.test(text) ? [path] : []))

const INVENTORY_TABLES: ReadonlySet<string> = new Set(INVENTORY.map(toTableName))

/** Returns true for a file of a room above the inventory. */
const isAboveTheInventory = (path: string): boolean =>
  getLevel(path) < ROOMS.findIndex(({ name }) => name === 'inventory')

/** Writes of the tables of the inventory, and calls of its record, outside of `resource`. */
const unstoredWrites = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) => {
    if (isAboveTheInventory(path)) return []
    const tables = [...text.matchAll(WRITE)].flatMap(
      ([, argument = '']) => /^'(\w+)'$/.exec(argument.trim())?.[1] ?? [],
    )
    const records = [...text.matchAll(/\b(?:recordCustom|createObjectRefs|ctx\.changed)\(/g)]
    return [
      ...tables.filter((table) => INVENTORY_TABLES.has(table)).map((table) => `${path} writes ${table}`),
      ...records.map(([call]) => `${path} calls ${call}`),
    ]
  })

/** Casts of names that are known at run time to a table of the inventory. */
const tableCasts = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) =>
    isAboveTheInventory(path)
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
    name: 'a room imports only rooms above it in the table of CONTRIBUTING.md, but for their doors',
    check: upwardImports,
    offender: { 'kernel/kernel.ts': "import type { Device } from '../inventory/devices/schema.ts'" },
  },
  {
    name: 'a room that runs as a process is entered by its doors',
    check: pastTheDoors,
    offender: { 'discovery/scans/scans.ts': "import { runScan } from '../../scanner/scan.ts'" },
  },
  {
    name: 'src has only the rooms of CONTRIBUTING.md',
    check: outsideOfRooms,
    offender: { 'features/pools/pools.ts': '' },
  },
  {
    name: 'net imports nothing, and processes little',
    check: outsideOfItsBounds,
    offender: { 'net/ip.ts': "import { isIP } from 'node:net'" },
  },
  {
    name: 'the scanner imports nothing of the program but net, errors and the mechanism of processes',
    check: outsideOfItsBounds,
    offender: { 'scanner/scan.ts': "import { toText } from '../contract/unknown.ts'" },
  },
  {
    name: 'the converters know the contracts and the rules of the inventory, and no database',
    check: outsideOfItsBounds,
    offender: { 'convert/csv.ts': "import type { Db } from '../database/database.ts'" },
  },
  {
    name: `a folder has at most ${MAX_FILES} files`,
    check: crowded,
    offender: Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, i) => [`net/a${i}.ts`, ''])),
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
      'inventory/pools/api.ts': "import { text } from '../../contract/fields/fields.ts'",
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
      'app/server.ts': "import { createOutbound } from '../base/security/outbound.ts'",
      'base/security/outbound.ts': "import { request } from 'node:https'",
    },
  },
  {
    name: 'only tests use testing',
    check: testingImports,
    offender: { 'inventory/pools/pools.ts': "const { testApp } = await import('../../../testing/app/app.ts')" },
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
    name: 'only the store of resources writes the tables of the inventory, and records their changes',
    check: unstoredWrites,
    offender: {
      'inventory/pools/store.ts': "ctx.db.insertInto('pools')",
      'inventory/ports/store.ts': "ctx.changed('port', { id, after })",
    },
  },
  {
    name: 'no feature casts a name to a table of the inventory',
    check: tableCasts,
    offender: { 'inventory/pools/store.ts': "db.selectFrom(table as 'device_types')" },
  },
  {
    name: 'only a store writes',
    check: foreignWrites,
    offender: { 'inventory/pools/pools.ts': "ctx.db.insertInto('pools')" },
  },
  {
    name: 'only the database asks which engine it is',
    check: engineQuestions,
    offender: { 'inventory/pools/pools.ts': 'if (ctx.store.sql.hasOneWriter) return' },
  },
  {
    name: 'state of a transaction is in ctx.local, and not in a map of a module',
    check: moduleMaps,
    offender: { 'inventory/pools/pools.ts': 'const known = new WeakMap<object, string>()' },
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
