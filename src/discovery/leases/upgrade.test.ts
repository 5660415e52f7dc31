// Discovered devices of an earlier version have no lease.
import { expect, test } from 'bun:test'
import { insertDiscovered, upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'

test.each(engines())('on %s', async (dialect) => {
  const { db, close } = await upgraded(dialect, '0044', (tx) =>
    insertDiscovered(tx, [{ id: 'd', doc: { id: 'd', hostname: 'a}' } }]),
  )
  const rows = await db.read.selectFrom('discovered_devices').select('doc').execute()
  await close()
  expect(rows.map(({ doc }) => JSON.parse(doc))).toEqual([{ id: 'd', hostname: 'a}', lease_expires_at: null }])
})
