// Presence: when hosts were there, who had an address, and how long both are kept.
import { describe, expect, test } from 'bun:test'
import { type Discovery, discoveryApp } from '../../../testing/discovery.ts'
import { missing, refusal } from '../../../testing/estates/inventory.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const A = '00:1b:21:00:00:0a'
const B = '00:1b:21:00:00:0b'

type Host = {
  readonly ip: string
  readonly mac_address?: string
  readonly hostname?: string
  readonly ssh_host_key?: string
}

const helpers = (d: Discovery) => ({
  /** Records a completed scan. Returns its moment. */
  scan: async (id: string, hosts: readonly Host[], exclude_ips = '') => {
    await d.api.scans.record({ id, hosts: [...hosts], exclude_ips })
    return d.now()
  },
  found: async (network_id: string) => d.api.discovery.list({ network_id }),
  rows: (id: string) => d.app.db.read.selectFrom('presence').selectAll().where('network_id', '=', id).execute(),
})

describe.each(engines())('presence on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const { scan, found, rows } = helpers(d)
  const only = async (id: string) => d.api.presence.ofDiscovered({ id: (await d.only(id)).id })

  test('a scan opens an interval, and a completed scan that misses the host ends it when it was last seen', async () => {
    const { id, at } = await d.network()
    const host = { ip: at(1), mac_address: A }
    const first = await scan(id, [host])
    d.advance(HOUR_MS)
    const last = await scan(id, [host])
    expect((await only(id)).intervals).toEqual([{ ip: at(1), mac_address: A, from: first, to: null }])
    d.advance(HOUR_MS)
    await scan(id, [])
    expect((await only(id)).intervals).toEqual([{ ip: at(1), mac_address: A, from: first, to: last }])
  })

  test('a probe of an open interval writes nothing', async () => {
    const { id, at } = await d.network()
    const host = { ip: at(1), mac_address: A }
    await scan(id, [host])
    const before = await d.app.db.revision(['presence'])
    d.advance(HOUR_MS)
    await scan(id, [host])
    expect(await d.app.db.revision(['presence'])).toBe(before)
  })

  test('an interval without a MAC gets the one that is seen later', async () => {
    const { id, at } = await d.network()
    const first = await scan(id, [{ ip: at(1) }])
    d.advance(HOUR_MS)
    await scan(id, [{ ip: at(1), mac_address: A }])
    expect((await only(id)).intervals).toEqual([{ ip: at(1), mac_address: A, from: first, to: null }])
  })

  test('another device at an address without a MAC has an interval of its own', async () => {
    const { id, at } = await d.network()
    const first = await scan(id, [{ ip: at(1), ssh_host_key: `SHA256:${'a'.repeat(43)}` }])
    d.advance(HOUR_MS)
    const second = await scan(id, [{ ip: at(1), ssh_host_key: `SHA256:${'b'.repeat(43)}` }])
    expect((await rows(id)).map(({ began_at, ended_at }) => [began_at, ended_at]).sort()).toEqual([
      [first, first],
      [second, '9999-12-31T23:59:59.999Z'],
    ])
  })

  test('an address that the scan leaves out stays present', async () => {
    const { id, at } = await d.network()
    await scan(id, [{ ip: at(1), mac_address: A }])
    d.advance(HOUR_MS)
    await scan(id, [], at(1))
    expect((await only(id)).intervals).toMatchObject([{ to: null }])
  })

  test('a lease opens no interval', async () => {
    const { id, at } = await d.network()
    await d.api.leases.record({ format: 'dnsmasq', text: `1900000000 ${A} ${at(1)} phone *\n` })
    expect(await rows(id)).toEqual([])
  })

  test('the share counts the range, and an open interval up to now', async () => {
    const { id, at } = await d.network()
    const from = await scan(id, [
      { ip: at(1), mac_address: A },
      { ip: at(2), mac_address: A },
    ])
    d.advance(6 * HOUR_MS)
    const device = await d.only(id)
    const all = await d.api.presence.ofDiscovered({ id: device.id, from })
    expect(all).toMatchObject({ seconds_up: 6 * 3600, share_up: 1, complete_since: null })
    const wide = await d.api.presence.ofDiscovered({
      id: device.id,
      from: new Date(Date.parse(from) - 6 * HOUR_MS).toISOString(),
      to: '2200-01-01T00:00:00Z',
    })
    expect([wide.seconds_up, wide.share_up, wide.intervals.length]).toEqual([6 * 3600, 0.5, 2])
  })

  test('a range that ends before it begins is refused by its field', async () => {
    const { id, at } = await d.network()
    await scan(id, [{ ip: at(1) }])
    const path = `/api/discovery/devices/${(await d.only(id)).id}/presence`
    const range = '?from=2026-05-02T00:00:00Z&to=2026-05-01T00:00:00Z'
    expect(await d.ask(`GET ${path}${range}`)).toMatchObject(refusal('from'))
    expect(await d.ask(`GET /api/lookup/${at(1)}/presence${range}`)).toMatchObject(refusal('from'))
    expect(await d.ask('GET /api/lookup/nobody/presence')).toMatchObject(refusal('ip'))
  })

  test('more than 1,000 intervals are cut, and the answer says since when it is complete', async () => {
    const { id, at } = await d.network()
    await scan(id, [{ ip: at(1), mac_address: A }])
    const device = await d.only(id)
    const now = Date.parse(d.now())
    const when = (hours: number) => new Date(now - hours * HOUR_MS).toISOString()
    await d.app.db.write(async ({ db }) => {
      for (let from = 1; from <= 1000; from += 100)
        await db
          .insertInto('presence')
          .values(
            Array.from({ length: 100 }, (_, i) => {
              const began_at = when(from + i)
              const ended_at = new Date(Date.parse(began_at) + HOUR_MS / 2).toISOString()
              const row = {
                network_id: id,
                discovered_id: device.id,
                ip: at(1),
                mac_address: A,
                source: 'scan' as const,
              }
              return { ...row, id: Bun.randomUUIDv7(), began_at, seen_at: began_at, ended_at }
            }),
          )
          .execute()
    })
    const from = when(2000)
    const first = await d.api.presence.ofDiscovered({ id: device.id, from })
    const last = new Date(Date.parse(when(1000)) + HOUR_MS / 2).toISOString()
    expect([first.intervals.length, first.complete_since, first.share_up]).toEqual([1000, last, 0.4997])
    const rest = await d.api.presence.ofDiscovered({ id: device.id, from, to: last })
    expect(rest.intervals).toMatchObject([{ from: when(1000), to: last }])
  })

  test('a device has the intervals of all discovered devices that belong to it', async () => {
    const [one, other] = [await d.network(), await d.network()]
    await scan(one.id, [{ ip: one.at(1), mac_address: A }])
    await scan(other.id, [{ ip: other.at(1), mac_address: B }])
    const { id } = await d.api.devices.create({ name: 'both', addresses: [{ ip: one.at(1) }, { ip: other.at(1) }] })
    const { intervals } = await d.api.presence.ofDevice({ id })
    expect(intervals.map(({ ip }) => ip).sort()).toEqual([one.at(1), other.at(1)].sort())
  })

  test('merged devices share their intervals, and a split takes those of its addresses along', async () => {
    const { id, at } = await d.network()
    await scan(id, [
      { ip: at(1), mac_address: A },
      { ip: at(2), mac_address: B },
    ])
    const [into, from] = await found(id)
    await d.api.discovery.merge({ id: into?.id ?? '', other_ids: [from?.id ?? ''] })
    expect((await only(id)).intervals.map(({ ip }) => ip).sort()).toEqual([at(1), at(2)])
    const made = await d.api.discovery.split({ id: into?.id ?? '', ips: [at(2)] })
    const { intervals } = await d.api.presence.ofDiscovered({ id: made.id })
    expect(intervals.map(({ ip }) => ip)).toEqual([at(2)])
  })

  test('an address has its holders in order, with their names, and its lease', async () => {
    const { id, at } = await d.network()
    const first = await scan(id, [{ ip: at(1), mac_address: A, hostname: 'one.example' }])
    d.advance(HOUR_MS)
    const second = await scan(id, [{ ip: at(1), mac_address: B, hostname: 'two.example' }])
    const { id: device_id } = await d.api.devices.create({ name: 'second', addresses: [{ ip: at(1) }] })
    d.advance(1000)
    await d.api.leases.record({ format: 'dnsmasq', text: `1900000000 ${B} ${at(1)} two *\n` })
    const { intervals } = await d.api.lookup.presence({ ip: at(1) })
    const [one, two] = await Promise.all(
      [A, B].map(async (mac) => (await rows(id)).find(({ mac_address }) => mac_address === mac)?.discovered_id ?? ''),
    )
    const holder = { network_id: id, device_id, name: 'second', mac_address: B, discovered_id: two }
    expect(intervals).toEqual(
      expect.arrayContaining([
        { ...holder, from: second, to: null, source: 'scan' },
        { ...holder, from: second, to: '2030-03-17T17:46:40.000Z', source: 'lease' },
        {
          ...{ network_id: id, discovered_id: one, device_id: null, name: 'one.example', mac_address: A },
          ...{ from: first, to: first, source: 'scan' },
        },
      ]),
    )
    expect(intervals.length).toBe(3)
  })

  test('one address in two spaces has the holders of both, or of the one that is asked for', async () => {
    const { id, subnet, at } = await d.network()
    const space = await d.api.spaces.create({ name: `space ${id}` })
    const { id: other } = await d.api.networks.create({ name: 'twin', subnet, space_id: space.id })
    await scan(id, [{ ip: at(1), mac_address: A }])
    await scan(other, [{ ip: at(1), mac_address: B }])
    const macs = async (space_id?: string) => {
      const { intervals } = await d.api.lookup.presence({ ip: at(1), ...(space_id !== undefined && { space_id }) })
      return intervals.map(({ mac_address }) => mac_address).sort()
    }
    expect([await macs(), await macs('default'), await macs(space.id)]).toEqual([[A, B], [A], [B]])
  })

  test('intervals outlive the deletion of their discovered devices', async () => {
    const { id, at } = await d.network()
    const seen = await scan(id, [{ ip: at(1), mac_address: A }])
    d.advance(HOUR_MS)
    await d.api.discovery.clear({ network_id: id })
    const { intervals } = await d.api.lookup.presence({ ip: at(1) })
    expect(intervals).toMatchObject([{ discovered_id: null, name: '', mac_address: A, from: seen, to: seen }])
  })

  test('a device that is found again within 10 minutes after its deletion goes on', async () => {
    const { id, at } = await d.network()
    const seen = await scan(id, [{ ip: at(1), mac_address: A }])
    d.advance(9 * MINUTE_MS)
    await d.api.discovery.clear({ network_id: id })
    await scan(id, [{ ip: at(1), mac_address: A }])
    expect((await only(id)).intervals).toEqual([{ ip: at(1), mac_address: A, from: seen, to: null }])
  })

  test('the intervals of a deleted network are shown no more, and then deleted', async () => {
    const { id, at } = await d.network()
    await scan(id, [{ ip: at(1), mac_address: A }])
    await d.api.networks.delete({ id })
    expect((await d.api.lookup.presence({ ip: at(1) })).intervals).toEqual([])
    await d.runJob('discovery.forget-presence')
    expect(await rows(id)).toEqual([])
  })

  test('the hosts that joined are listed once, the last one first', async () => {
    d.advance(DAY_MS)
    const since = d.now()
    const { id, at } = await d.network()
    d.advance(MINUTE_MS)
    const first = await scan(id, [{ ip: at(1), mac_address: A }])
    d.advance(MINUTE_MS)
    const second = await scan(id, [
      { ip: at(1), mac_address: A },
      { ip: at(2), mac_address: B, hostname: 'b.example' },
    ])
    expect(await d.api.presence.joined({ since })).toMatchObject([
      { name: 'b.example', ip: at(2), mac_address: B, network_id: id, joined_at: second, is_new: true },
      { name: '', ip: at(1), mac_address: A, joined_at: first, is_new: true },
    ])
    expect(await d.api.presence.joined({ since, limit: 1 })).toMatchObject([{ ip: at(2) }])
    d.advance(HOUR_MS)
    await scan(id, [])
    d.advance(HOUR_MS)
    const back = d.now()
    await scan(id, [{ ip: at(1), mac_address: A }])
    expect(await d.api.presence.joined({ since: back })).toMatchObject([{ ip: at(1), is_new: false }])
  })
})

describe.each(onSqlite())('presence for %s', (dialect) => {
  const d = discoveryApp(dialect, { PRESENCE_RETENTION_DAYS: '2', DISCOVERY_CLEANUP_DAYS: '365' })
  const { scan, rows } = helpers(d)

  test('an interval that ended too long ago is deleted, and an open one stays', async () => {
    const { id, at } = await d.network()
    const hosts = [
      { ip: at(1), mac_address: A },
      { ip: at(2), mac_address: B },
    ]
    await scan(id, hosts)
    await scan(id, hosts.slice(0, 1))
    d.advance(2 * DAY_MS)
    await d.runJob('discovery.forget-presence')
    expect((await rows(id)).length).toBe(2)
    d.advance(1000)
    await d.runJob('discovery.forget-presence')
    expect((await rows(id)).map(({ ip }) => ip)).toEqual([at(1)])
  })

  test('the presence of a device is asked for by its name', async () => {
    const { id, at } = await d.network()
    const from = await scan(id, [{ ip: at(1), mac_address: A }])
    await d.api.devices.create({ name: 'named', addresses: [{ ip: at(1) }] })
    const { code, out } = await runCommand({ app: d.app, key: d.admin.key }, { argv: ['device', 'presence', 'named'] })
    expect([code, out]).toEqual([0, expect.stringContaining(from)])
  })

  test('plat whois says who had the address', async () => {
    const { id, at } = await d.network()
    // The command counts from its own clock.
    d.advance(Date.now() - Date.parse(d.now()))
    const from = await scan(id, [{ ip: at(1), mac_address: A, hostname: 'host.example' }])
    const run = (...argv: string[]) => runCommand({ app: d.app, key: d.admin.key }, { argv: ['whois', ...argv] })
    const { code, out } = await run(at(1), '--since', '30d')
    expect(code).toBe(0)
    expect(out).toContain(`had it       ${from.slice(0, 16).replace('T', ' ')} - now  host.example  ${A}  scan\n`)
    const { presence } = JSON.parse((await run(at(1), '--since', '30d', '-o', 'json')).out)
    expect(presence.intervals).toMatchObject([{ network_id: id, from, to: null }])
  })

  test('plat whois refuses the holders of anything but an address', async () => {
    const { code, err } = await runCommand(
      { app: d.app, key: d.admin.key },
      { argv: ['whois', 'host.example', '--since', '30d'] },
    )
    expect([code, err]).toEqual([2, 'error: since: only an address has had holders\n'])
  })

  test('the presence of an unknown device is not found', async () => {
    expect(await d.ask('GET /api/devices/unknown/presence')).toMatchObject(missing)
    expect(await d.ask('GET /api/discovery/devices/unknown/presence')).toMatchObject(missing)
  })
})
