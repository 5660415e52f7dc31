/** Run in a copy of the code with a recipe whose resource has the identity of its name and datacenter. */
import { strict as assert } from 'node:assert'
import { testApp } from '../app/app.ts'

const NOON = { starts_at: '2026-01-31T12:00:00.000Z', ends_at: '2026-01-31T13:00:00.000Z' }
const LATER = { starts_at: '2026-02-01T12:00:00.000Z', ends_at: '2026-02-01T13:00:00.000Z' }

const app = await testApp()
const { request } = await app.as('admin')
const make = async (body: object) => (await request('POST', '/api/outages', body)).status
assert.equal(await make({ id: 'one', name: 'Works', ...NOON }), 201)
const taken = await request('POST', '/api/outages', { name: 'WORKS', ...LATER })
assert.equal(taken.status, 409)
assert.match(await taken.text(), /An outage with the same name, datacenter_id exists already/)
assert.equal(await make({ id: 'two', name: 'Other', ...LATER }), 201)
assert.equal((await request('PUT', '/api/outages/two', { name: 'works' })).status, 409)
const row = { name: 'works', description: 'by apply', ...NOON }
const applied = await request('POST', '/api/estate/apply', { outages: [row] })
assert.match(await applied.text(), /"updated":1/)
const imported = await request('POST', '/api/estate/import?resource=outages', [{ ...row, description: 'by import' }])
assert.match(await imported.text(), /"updated":1/)
await app.close()
process.exit(0)
