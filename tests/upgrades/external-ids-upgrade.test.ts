/** Objects of earlier versions, and their history, get the fields `refs` and `managed_by`. */
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { upgraded } from '../../testing/servers/earlier-version.ts'
import { engines } from '../../testing/servers/servers.ts'

const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
// A text that resembles the place of the new fields.
const text = 'a,"created_at":"b","created_at":"'
const device = { id: 'd', name: 'web', description: text, tags: [text], ...times }
const link = { parent_id: 'd', child_id: 'e', type: 'contains', notes: text, created_at: times.created_at }
const lock = { device_id: 'd', field: 'os', created_by: 'ann', created_at: times.created_at }

test.each(engines())('on %s', async (dialect) => {
  const { db, close } = await upgraded(dialect, '0041', async (tx) => {
    await sql`INSERT INTO devices (id, name, name_key, hostname_key, description, make_model, os, status, username, location,
        created_at, updated_at, search_text, doc)
      VALUES ('d', 'web', 'web', '', ${text}, '', '', 'active', '', '', '', '', '', ${JSON.stringify(device)})`.execute(
      tx,
    )
    await sql`INSERT INTO datacenters (id, name, name_key, location, description, created_at, updated_at)
      VALUES ('m', 'Main', 'main', '', '', '', '')`.execute(tx)
    for (const [kind, document] of Object.entries({ device, relationship: link, 'discovery-lock': lock }))
      await sql`INSERT INTO history (kind, id, seq, before) VALUES (${kind}, 'x', 1, ${JSON.stringify(document)})`.execute(
        tx,
      )
  })
  const [row] = await db.read.selectFrom('devices').select(['doc', 'managed_by']).execute()
  const expected = { ...device, refs: {}, managed_by: '' }
  expect([JSON.parse(row?.doc ?? ''), row?.managed_by]).toEqual([expected, ''])
  expect(Object.keys(JSON.parse(row?.doc ?? '')).slice(-4)).toEqual(['refs', 'managed_by', 'created_at', 'updated_at'])
  const history = await db.read.selectFrom('history').select(['kind', 'before']).orderBy('kind').execute()
  expect(history.map(({ kind, before }) => [kind, JSON.parse(before ?? '')])).toEqual([
    ['device', expected],
    ['discovery-lock', lock],
    ['relationship', { ...link, managed_by: '' }],
  ])
  expect(await db.read.selectFrom('datacenters').select('managed_by').execute()).toEqual([{ managed_by: '' }])
  await close()
})
