/** Networks and scans of an earlier version belong to the server. */
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { testApp } from '../../../testing/app/app.ts'
import { insertDiscovered, upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'

test.each(engines())('networks and scans of before have no scanner on %s', async (dialect) => {
  const { db, close } = await upgraded(dialect, '0090', async (tx) => {
    await insertDiscovered(tx, [])
    await sql`INSERT INTO discovery_scans (id, network_id, status, scan_type, stage, total_hosts, scanned_hosts,
        found_hosts, hosts_per_second, exclude_ips, error_message, created_by, created_at, updated_at, holder,
        until_ms, resumes)
      VALUES ('s', 'n', 'running', 'quick', '', 1, 0, 0, 0, '', '', '', '', '', 'a process', 0, 0)`.execute(tx)
  })
  const networks = await db.read.selectFrom('networks').select(['id', 'scanner']).execute()
  const scans = await db.read.selectFrom('discovery_scans').select(['scanner_id', 'scanner_name']).execute()
  const states = await db.read.selectFrom('scanner_states').select('scanner_id').execute()
  await close()
  expect([networks, scans, states]).toEqual([[{ id: 'n', scanner: '' }], [{ scanner_id: null, scanner_name: '' }], []])
})

test.each(engines())('a network in the history of an earlier version is of the server on %s', async (dialect) => {
  const app = await testApp({ dialect })
  try {
    const { api, request } = await app.as('admin')
    const { id } = await api.networks.create({ name: 'before', subnet: '10.1.0.0/24' })
    await api.networks.update({ id, name: 'after' })
    await api.networks.delete({ id })
    const [deletion, update] = await api.history.list({})
    await app.db.write(({ db }) => sql`UPDATE history SET before = replace(before, ',"scanner":""', '')`.execute(db))
    const past = await request('GET', `/api/networks?as_of=${update?.id}`)
    expect(await past.json()).toMatchObject([{ name: 'after', scanner: '' }])
    for (const change of [deletion, update]) await request('POST', `/api/history/${change?.id}/undo`, {})
    expect(await api.networks.get({ id })).toMatchObject({ name: 'before', scanner: '' })
  } finally {
    await app.close()
  }
})
