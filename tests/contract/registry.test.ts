/** Checks every operation of the registry for properties that all must have. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { contracts, routes } from '../../src/app/contracts.ts'
import { getCommandWords, getToolName } from '../../src/contract/command-name.ts'
import { toJsonSchema } from '../../src/contract/json-schema.ts'
import { INVENTORY } from '../../src/inventory/resources.ts'
import { parseHttp, takesQuery } from '../../src/kernel/http-route.ts'
import { type AnyOperation, listPermissions, type OperationSet } from '../../src/kernel/operation.ts'
import { CATALOGUE } from '../../src/people/roles/catalogue.ts'
import { listToolDefinitions } from '../../src/surfaces/mcp/tools.ts'
import { requiredExample } from '../../testing/estates/required-example.ts'

const sets = Object.entries<OperationSet>(contracts)
const operations: readonly AnyOperation[] = sets.flatMap(([, set]) => Object.values(set))
const byName = operations.map((op) => [op.name, op] as const)

/** Returns all exports of the features' api.ts that have a route. */
const exported = async (): Promise<string[]> => {
  const folder = join(import.meta.dirname, '../../src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /[/-]api\.ts$/.test(path))
  const modules = await Promise.all(files.map(async (file): Promise<object> => import(join(folder, file))))
  const named = z.object({ name: z.string(), http: z.string() })
  const sets = modules
    .flatMap((module) => Object.values(module))
    .filter((one) => typeof one === 'object' && one !== null)
  return sets.flatMap((set) => Object.values<unknown>(set)).flatMap((one) => named.safeParse(one).data?.name ?? [])
}

test('every operation and raw route that a feature declares is registered', async () => {
  const declared = await exported()
  const registered = [...operations, ...routes].map(({ name }) => name)
  // A resource without a contract file has the five operations of its facts.
  const fromFacts = registered.filter((name) => !declared.includes(name))
  const verbs = ['list', 'create', 'get', 'update', 'delete']
  const plain = INVENTORY.filter(
    (resource) => !existsSync(join(import.meta.dir, '../../src/inventory', resource, 'api.ts')),
  )
  expect(fromFacts.sort()).toEqual(plain.flatMap((resource) => verbs.map((verb) => `${resource}.${verb}`)).sort())
  expect(declared.filter((name) => !registered.includes(name))).toEqual([])
})

test('every folder with the facts of a resource is in the list of resources', () => {
  const folders = readdirSync(join(import.meta.dir, '../../src/inventory')).filter((name) =>
    existsSync(join(import.meta.dir, '../../src/inventory', name, 'resource.ts')),
  )
  const missing = folders.filter((name) => !INVENTORY.some((one) => one === name))
  const messages = missing.map(
    (name) => `src/inventory/${name}/resource.ts is not in RESOURCES of src/inventory/resources.ts`,
  )
  expect(messages).toEqual([])
})

const repeated = (texts: readonly string[]): string[] => texts.filter((text, i) => texts.indexOf(text) !== i)

describe('no two operations share', () => {
  test('a name', () => expect(repeated([...operations, ...routes].map(({ name }) => name))).toEqual([]))
  test('a command', () => expect(repeated(operations.map((op) => getCommandWords(op).join(' ')))).toEqual([]))
  test('a tool name', () => expect(repeated(operations.map(getToolName))).toEqual([]))
  test('a route', () => {
    const shapes = [...operations, ...routes].map(({ http }) => http.replace(/\{\w+\}/g, '{}'))
    expect(repeated(shapes)).toEqual([])
  })
})

test('the same path has the same parameter names', () => {
  const paths = [...operations, ...routes].map(({ http }) => parseHttp(http).path)
  const shapes = Map.groupBy(new Set(paths), (path) => path.replace(/\{\w+\}/g, '{}'))
  expect([...shapes.values()].filter((spellings) => spellings.length > 1)).toEqual([])
})

test('no command is the beginning of another', () => {
  const commands = operations.map((op) => getCommandWords(op).join(' '))
  expect(commands.filter((one) => commands.some((other) => other.startsWith(`${one} `)))).toEqual([])
})

test('every permission that is asked for is in the catalog', () => {
  const known = new Set<string>(CATALOGUE.map(({ name }) => name))
  const asked = [...operations, ...routes].flatMap(({ name, access }) =>
    listPermissions(access).map((one) => [name, one]),
  )
  expect(asked.filter(([, permission = '']) => !known.has(permission))).toEqual([])
})

test('about 20 tools are listed', () => {
  expect(listToolDefinitions(operations).length).toBeLessThanOrEqual(26)
})

describe.each(byName)('%s', (_, op) => {
  // The histories of objects are one set, each named by its resource, and so are their references.
  if (!/\.(history|references)$/.test(op.name))
    test('is called by the noun of its set', () => {
      const set = sets.find(([, one]) => Object.values(one).includes(op))
      expect(op.name).toStartWith(`${set?.[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.`)
    })

  test('takes its arguments from its input', () => {
    const unknown = (op.cli?.args ?? []).filter((name) => !Object.hasOwn(op.input.shape, name))
    expect(unknown).toEqual([])
  })

  test('leaves the name "fields" to the tools', () => {
    // No tools of their own: a call by name has its input apart.
    if (['kinds.create', 'kinds.update'].includes(op.name)) return expect(op.mcp).toBeUndefined()
    expect(Object.keys(op.input.shape)).not.toContain('fields')
  })

  test('reads by GET and changes by another method', () => {
    // A preview takes a whole draft or long lists, which no URL can hold, and changes nothing.
    const isRead = op.effect === 'read' && !op.name.endsWith('.preview')
    expect(parseHttp(op.http).method === 'GET').toBe(isRead)
  })

  test('has named schemas for all it sends in lists', () => {
    const { schema } = toJsonSchema(op.output, 'output')
    expect(schema.items === undefined || schema.items.$ref !== undefined).toBe(true)
  })
})

/** The report of a check is set whole. */
const SET_WHOLE = ['proposals.check']
describe.each(byName.filter(([name, { effect }]) => effect === 'update' && !SET_WHOLE.includes(name)))(
  '%s',
  (_, op) => {
    test('changes only what it names', () => {
      const input = requiredExample(op)
      expect(Object.keys(op.input.parse(input))).toEqual(Object.keys(input))
    })
  },
)

/** They answer the best matches, and have no further pages. */
const WITHOUT_PAGES = ['addresses.free', 'impact.single-points', 'presence.joined']
const isList = ({ name, output }: AnyOperation): boolean =>
  output instanceof z.ZodArray && !WITHOUT_PAGES.includes(name)

describe.each(byName.filter(([, op]) => isList(op)))('%s', (_, op) => {
  test('is a list with limit and offset', () => {
    expect(takesQuery(parseHttp(op.http).method)).toBe(true)
    expect(Object.keys(op.input.shape)).toContain('limit')
    expect(Object.keys(op.input.shape)).toContain('offset')
  })
})
