/** Run in a copy of the code with a variant of the recipe of a resource: what happens when a referenced object is deleted. */
import { strict as assert } from 'node:assert'
import { testApp } from '../app/app.ts'

const NOON = { starts_at: '2026-01-31T12:00:00.000Z', ends_at: '2026-01-31T13:00:00.000Z' }

/** The objects that the reference of an outage may name, each with the path of its deletion. */
const TARGETS: Readonly<Record<string, { readonly path: string; readonly make: object }>> = {
  datacenter_id: { path: '/api/datacenters', make: { id: 'one', name: 'One' } },
  network_id: { path: '/api/networks', make: { id: 'one', name: 'One', subnet: '10.0.0.0/24' } },
  device_id: { path: '/api/devices', make: { id: 'one', name: 'One' } },
}

const checkDeletion = async (field: string, expected: string): Promise<void> => {
  const target = TARGETS[field]
  assert.ok(target, field)
  const app = await testApp()
  try {
    const { request } = await app.as('admin')
    assert.equal((await request('POST', target.path, target.make)).status, 201)
    const made = await request('POST', '/api/outages', { id: 'out', name: 'Out', [field]: 'one', ...NOON })
    assert.equal(made.status, 201, await made.text())
    const deleted = await request('DELETE', `${target.path}/one`)
    const answer = await request('GET', '/api/outages/out')
    const left = answer.status === 404 ? 'deleted' : ((await answer.json()) as Record<string, unknown>)[field]
    const events = (await app.db.read.selectFrom('events').select('event').orderBy('seq').execute()).map(
      (row) => row.event,
    )
    assert.equal(`${deleted.status} ${left} ${events.slice(2).join(' ')}`.trim(), expected)
  } finally {
    await app.close()
  }
}

const [field = '', expected = ''] = process.argv.slice(2)
await checkDeletion(field, expected)
process.exit(0)
