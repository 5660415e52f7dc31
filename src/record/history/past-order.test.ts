// Pages of the past and of proposals are read in the order of an index, as those of the present: a page does not sort all devices.
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from 'bun:test'
import { type CompiledQuery, sql } from 'kysely'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { TableViews } from '../../database/cte-views.ts'

let app: TestApp
let admin: TestCaller
let change = ''
const rewritten: CompiledQuery[] = []
const { rewrite } = TableViews.prototype
const spy = spyOn(TableViews.prototype, 'rewrite').mockImplementation(function (this: TableViews, ...given) {
  const query = rewrite.apply(this, given)
  rewritten.push(query)
  return query as never
})

beforeAll(async () => {
  app = await testApp({ dialect: 'sqlite' })
  admin = await app.as('admin')
  const { id } = await admin.api.devices.create({ name: 'web-1', serial: 'S1' })
  const { headers } = await admin.request('PUT', `/api/devices/${id}`, { location: 'moved' })
  change = headers.get('x-change-id') ?? ''
  await admin.request('PUT', `/api/devices/${id}?proposal=draft`, { location: 'elsewhere' })
})
afterEach(() => {
  rewritten.length = 0
})
afterAll(async () => {
  spy.mockRestore()
  await app.close()
})

test.each(['limit=10', 'limit=10&sort=-name'])('a page with %s', async (query) => {
  for (const moment of [change, 'proposal:1']) {
    rewritten.length = 0
    expect((await admin.request('GET', `/api/devices?${query}&as_of=${moment}`)).status).toBe(200)
    const pages = rewritten.filter((one) => one.sql.includes('"page"'))
    expect(pages).toHaveLength(1)
    for (const { sql: text, parameters } of pages) {
      // Each value where its placeholder stands: the number of the moment has one by its own name.
      const [seq, ...others] = parameters
      const filled = text.replaceAll('?1', String(seq)).replace(/\?/g, () => {
        const value = others.shift()
        return typeof value === 'string' ? `'${value}'` : String(value)
      })
      const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN ${sql.raw(filled)}`.execute(app.db.read)
      const steps = rows.map(({ detail }) => detail)
      expect(steps).not.toContain('CO-ROUTINE devices')
      expect(steps).not.toContain('MATERIALIZE devices')
      expect(steps.some((detail) => detail.includes('devices_in_order'))).toBe(true)
    }
  }
})
