/** Run in a copy of the code with the recipe of a resource: one object goes through every surface. */
import { strict as assert } from 'node:assert'
import { type TestApp, type TestCaller, testApp } from '../app/app.ts'
import { callTool } from '../mcp.ts'

type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers }
type Ask = (http: string, body?: unknown) => Promise<Answer>

const createAsk =
  ({ request }: TestCaller): Ask =>
  async (http, body) => {
    const [method = '', path = ''] = http.split(' ')
    const response = await request(method, path, body)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
  }

const getIds = ({ body }: Answer): string[] => (body as { id: string }[]).map(({ id }) => id)

const NOON = { starts_at: '2026-01-31T12:00:00.000Z', ends_at: '2026-01-31T13:00:00.000Z' }

/** Applies a document of an owner, whose rows name the datacenter, and exports it again. */
const checkAsCode = async (ask: Ask, resource: string): Promise<void> => {
  const row = { name: 'Owned', datacenter: 'North', ...NOON, custom: { ticket: 'T-1' }, refs: { ops: '7' } }
  const owned = { managed_by: 'git', [resource]: [row] }
  const applied = await ask('POST /api/estate/apply', owned)
  assert.equal(applied.status, 200, JSON.stringify(applied.body))
  const again = await ask('POST /api/estate/apply', owned)
  assert.match(JSON.stringify(again.body), /"unchanged":1/, 'a second apply changes nothing')
  const exported = await ask(`GET /api/estate/export?managed_by=git`)
  assert.match(JSON.stringify(exported.body), /"Owned"/, 'export of an owner')
  const byRef = await ask(`GET /api/${resource}/ops:7`)
  assert.equal((byRef.body as { name: string }).name, 'Owned', 'a ref in a path')
  const pruned = await ask('POST /api/estate/apply', {
    managed_by: 'git',
    prune: true,
    allow_empty: true,
    [resource]: [],
  })
  assert.equal(pruned.status, 200, JSON.stringify(pruned.body))
  assert.equal((await ask(`GET /api/${resource}/ops:7`)).status, 404, 'prune')
}

const checkCustomFields = async (ask: Ask, resource: string): Promise<void> => {
  const defined = await ask('POST /api/custom-fields', { resource, name: 'ticket', type: 'text' })
  assert.equal(defined.status, 201, JSON.stringify(defined.body))
  await ask(`POST /api/${resource}`, { id: 'valued', name: 'Valued', ...NOON, custom: { ticket: 'T-9' } })
  assert.deepEqual(getIds(await ask(`GET /api/${resource}?custom.ticket=T-9`)), ['valued'], 'a custom field')
  await ask(`DELETE /api/${resource}/valued`)
}

/** A file of the web UI, which this program is not compiled with. */
const NAV: string = '../../web/src/shell/nav.ts'

/** Returns the page that the palette of the web UI opens for a type of results. */
const findPage = async (type: string): Promise<string | undefined> => {
  const nav = (await import(NAV)) as { readonly findItem: (type: string) => { readonly to: string } | undefined }
  return nav.findItem(type)?.to
}

/** The search of REST and of MCP finds an object, and the palette knows its page. */
const checkSearch = async (app: TestApp, ask: Ask, resource: string, type: string): Promise<void> => {
  const { key } = await app.as('admin')
  await ask(`POST /api/${resource}`, { id: 'sought', name: 'Cooling tower', ...NOON })
  const results = [{ type, id: 'sought', name: 'Cooling tower', match: 'Cooling tower', field: 'name' }]
  assert.deepEqual((await ask('GET /api/search?q=tower%20cool')).body, { results }, 'search')
  assert.deepEqual((await ask('GET /api/search?q=heating')).body, { results: [] }, 'search')
  const { value } = await callTool({ fetch: app.fetch, key }, 'search', { q: 'cooling' })
  assert.deepEqual((value as { readonly items: unknown }).items, results, 'search by MCP')
  assert.equal(await findPage(type), `/${resource}`, 'the palette')
  await ask(`DELETE /api/${resource}/sought`)
}

/** A caller with a role in a scope sees the objects of its datacenter only. */
const checkScopes = async (app: TestApp, ask: Ask, resource: string): Promise<void> => {
  const other = { starts_at: '2026-02-01T12:00:00.000Z', ends_at: '2026-02-01T13:00:00.000Z' }
  await ask(`POST /api/${resource}`, { id: 'inside', name: 'Inside', datacenter_id: 'north', ...other })
  await ask(`POST /api/${resource}`, { id: 'outside', name: 'Outside', ...NOON })
  const scope = await ask('POST /api/scopes', { name: 'north', datacenter_ids: ['north'] })
  const caller = await app.as([])
  const grant = { role_id: 'role-operator', user_id: caller.userId, scope_id: (scope.body as { id: string }).id }
  assert.equal((await ask('POST /api/grants', grant)).status, 201)
  const scoped = createAsk(caller)
  assert.deepEqual(getIds(await scoped(`GET /api/${resource}`)), ['inside'], 'the list in a scope')
  assert.equal((await scoped(`GET /api/${resource}/outside`)).status, 404, 'an object outside a scope')
  assert.equal((await scoped(`PUT /api/${resource}/inside`, { description: 'mine' })).status, 200)
  assert.equal((await scoped(`PUT /api/${resource}/outside`, { description: 'mine' })).status, 404)
}

const checkEvents = async (app: TestApp, ask: Ask, resource: string, family: string): Promise<void> => {
  const names = (await ask('GET /api/webhooks/events')).body as { name: string }[]
  for (const verb of ['created', 'updated', 'deleted'])
    assert.ok(
      names.some(({ name }) => name === `${family}.${verb}`),
      `${family}.${verb} is in the catalog`,
    )
  await ask(`PUT /api/${resource}/outside`, { datacenter_id: 'north' })
  const rows = await app.db.read.selectFrom('events').select(['event', 'data']).orderBy('seq').execute()
  const last = rows.at(-1)
  assert.equal(last?.event, `${family}.updated`)
  assert.match(last?.data ?? '', /"changes":\["datacenter_id"\]/, 'the changes of an event')
  await ask('DELETE /api/datacenters/north')
  const told = await app.db.read.selectFrom('events').select('event').orderBy('seq').execute()
  const since = told.slice(rows.length).map(({ event }) => event)
  assert.deepEqual(since, [`${family}.updated`, `${family}.updated`, 'datacenter.deleted'], 'a deleted datacenter')
}

/** @throws AssertionError that names the surface */
const checkResource = async (resource: string, family: string): Promise<void> => {
  const app = await testApp()
  try {
    const ask = createAsk(await app.as('admin'))
    await ask('POST /api/datacenters', { id: 'north', name: 'North' })
    await checkCustomFields(ask, resource)
    await checkAsCode(ask, resource)
    await checkSearch(app, ask, resource, family)
    await checkScopes(app, ask, resource)
    await checkEvents(app, ask, resource, family)
  } finally {
    await app.close()
  }
}

const [resource = '', family = ''] = process.argv.slice(2)
await checkResource(resource, family)
process.exit(0)
