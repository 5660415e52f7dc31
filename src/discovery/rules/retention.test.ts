// The retention of scans: all of the last 90 days, and the newest 20 of each network.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { missing } from '../../../testing/estates/inventory.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const DAY_MS = 86_400_000
const KEPT = 20

describe.each(onSqlite())('old scans on %s', (dialect) => {
  // The advanced clock also makes another job due, which deletes devices that no scan has seen.
  const d = discoveryApp(dialect, { DISCOVERY_CLEANUP_DAYS: '365' })
  /** Creates scans of one network: `more` than the number that is always kept. */
  const scansOf = async (more: number) => {
    const { id, at } = await d.network()
    const ids: string[] = []
    for (let i = 0; i < KEPT + more; i++) ids.push(await d.scan(id, [host(at(1 + (i % 2)))]))
    return { id, ids }
  }
  const kept = async (id: string) => (await d.api.scans.list({ network_id: id })).map((scan) => scan.id)

  test('stay for 90 days, and then go but for the newest 20 of a network', async () => {
    const { id, ids } = await scansOf(3)
    d.advance(89 * DAY_MS)
    await d.runJob('discovery.forget-scans')
    expect((await kept(id)).length).toBe(ids.length)
    d.advance(2 * DAY_MS)
    await d.runJob('discovery.forget-scans')
    expect(await kept(id)).toEqual(ids.slice(3).reverse())

    // Logs and records are deleted too. Discovered devices stay.
    const { db } = d.app
    const left = await Promise.all([
      db.read.selectFrom('discovery_scan_states').select('scan_id').where('scan_id', 'in', ids).execute(),
      db.read.selectFrom('discovery_changes').select('scan_id').distinct().where('scan_id', 'in', ids).execute(),
    ])
    const old = new Set(ids.slice(0, 3))
    expect(left.map((rows) => rows.filter(({ scan_id }) => old.has(scan_id)))).toEqual([[], []])
    expect(await d.ask(`GET /api/discovery/scans/${ids[0]}`)).toMatchObject(missing)
    expect((await d.api.discovery.list({ network_id: id })).length).toBe(2)
  })
})
