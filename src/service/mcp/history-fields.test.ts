/** The fields that the history adds to tools: a note and a moment, and plans in place of dry runs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Answer, callTool, Plan } from '../../../testing/mcp.ts'
import { contracts } from '../../app/contracts.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { listToolDefinitions, toInputSchema } from '../../surfaces/mcp/tools.ts'

const operations = Object.values(contracts)
  .flatMap((set) => Object.values<AnyOperation>(set))
  .filter(({ mcp }) => mcp !== 'hidden')
const fieldsOf = (op: AnyOperation) => Object.keys(toInputSchema(op).properties ?? {})
const named = (some: readonly AnyOperation[]) => some.map((op): [string, AnyOperation] => [op.name, op])

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp({ env: { AUDIT_ENABLED: 'true' } })
  admin = await app.as('admin')
})
afterAll(() => app.close())

const call = (operation: string, input: object): Promise<Answer> =>
  callTool({ fetch: app.fetch, key: admin.key }, 'call_operation', { operation, input })
const newest = async () => (await admin.api.history.list({ limit: 1 }))[0]

describe.each(named(operations.filter(({ hasHistory }) => hasHistory)))('the tool of %s', (name, op) => {
  test('takes a note, and has no dry run', async () => {
    expect(fieldsOf(op)).toContain('change_note')
    expect(fieldsOf(op)).not.toContain('dry_run')
    const { isError, value } = await call(name, { dry_run: true })
    expect([isError, value.details]).toEqual([
      true,
      expect.arrayContaining([{ field: 'dry_run', message: 'unknown field' }]),
    ])
  })
})

test.each(named(operations.filter(({ supportsAsOf }) => supportsAsOf)))('the tool of %s takes a moment', (_, op) => {
  expect(fieldsOf(op)).toContain('as_of')
})

test('the changes are a tool of their own', () => {
  expect(listToolDefinitions(operations).map(({ name }) => name)).toContain('history_list')
})

test.each([
  ['device history', 'devices.history'],
  ['history of a network', 'networks.history'],
  ['show a change', 'history.get'],
  ['objects of a change', 'history.items'],
  ['compare two moments of the history', 'history.diff'],
])('a search for "%s" finds %s', async (query, name) => {
  const { value } = await callTool({ fetch: app.fetch, key: admin.key }, 'search_operations', { query })
  expect((value.operations as { operation: string }[]).map(({ operation }) => operation)).toContain(name)
})

test('a scan keeps the dry run of its own', () => {
  expect(fieldsOf(contracts.scans.start)).toContain('dry_run')
})

test('a note is kept as it is, and stands beside the tool', async () => {
  await call('datacenters.create', { name: 'noted', change_note: 'moved, 50%25 done' })
  expect(await newest()).toMatchObject({ note: 'moved, 50%25 done', tool: 'call_operation' })
})

test('a plan carries the note to the change that it makes', async () => {
  const { id } = await admin.api.datacenters.create({ name: 'planned' })
  const { plan_id } = Plan.parse((await call('datacenters.delete', { id, change_note: 'closed' })).value)
  expect((await newest())?.operation).toBe('datacenters.create')
  await callTool({ fetch: app.fetch, key: admin.key }, 'apply_plan', { plan_id })
  expect(await newest()).toMatchObject({ operation: 'datacenters.delete', note: 'closed', tool: 'apply_plan' })
})
