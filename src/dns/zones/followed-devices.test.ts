// Zones follow devices that change without a call that names them: with their rack, by an undo, in a large import.
import { describe, expect, test } from 'bun:test'
import { testAll } from '../../../testing/cases.ts'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { DnsRrset, DnsZone } from './schema.ts'

describe.each(engines())('zones on %s', (dialect) => {
  const inv = inventory(dialect)
  let count = 0

  const makeZone = async (filter: object): Promise<string> => {
    const { status, body } = await inv.ask('POST /api/dns/zones', { name: `z${++count}.example`, ...filter })
    expect([status, body]).toMatchObject([201, {}])
    return (body as DnsZone).id
  }
  /** Returns the names of a zone that is up to date. A change of a device makes it pending in its own transaction. */
  const listNames = async (zoneId: string): Promise<string[]> => {
    await until(`zone ${zoneId}`, async () => {
      const { body } = await inv.ask(`GET /api/dns/zones/${zoneId}`)
      return (body as DnsZone).status === 'pending' ? undefined : body
    })
    return ((await inv.ask(`GET /api/dns/zones/${zoneId}/rrsets`)).body as DnsRrset[]).map(({ name }) => name)
  }
  /** A device is in a rack of a datacenter, and its only name is in a zone with the filter. */
  const makeDevice = async (zone: string, fields: { datacenter_id: string; rack_id: string }) => {
    const { datacenter_id, rack_id } = fields
    const { body } = await inv.ask(`GET /api/dns/zones/${zone}`)
    return inv.api.devices.create({
      ...{ name: `d${count}`, hostname: `web.${(body as DnsZone).name}`, datacenter_id },
      mount: { rack_id, position: 1, height: 1 },
      addresses: [{ ip: `10.${count}.0.1` }],
    })
  }

  test('a device that follows its rack to another datacenter leaves the zone of the first one, and an undo brings it back', async () => {
    const [from, to] = [
      await inv.api.datacenters.create({ name: 'from' }),
      await inv.api.datacenters.create({ name: 'to' }),
    ]
    const rack = await inv.api.racks.create({ name: 'r', datacenter_id: from.id })
    const zone = await makeZone({ datacenter_id: from.id })
    await makeDevice(zone, { datacenter_id: from.id, rack_id: rack.id })
    expect(await listNames(zone)).toEqual(['web'])
    await inv.api.racks.update({ id: rack.id, datacenter_id: to.id })
    expect(await listNames(zone)).toEqual([])
    const [change] = await inv.api.history.list({ limit: 1 })
    await inv.api.history.undo({ id: change?.id ?? '' })
    expect(await listNames(zone)).toEqual(['web'])
  })

  testAll(
    'an import of more devices than are kept in memory is followed',
    async () => {
      const zone = await makeZone({})
      const description = 'x'.repeat(4000)
      const domain = `z${count}.example`
      const rows = Array.from({ length: 1300 }, (_, i) => ({
        ...{ name: `large ${i}`, hostname: `h${i}.${domain}`, description },
        addresses: [{ ip: `10.200.${i >> 8}.${i & 255}` }],
      }))
      // The answer ends with the import.
      await (await inv.admin.request('POST', '/api/estate/import?resource=devices', rows)).text()
      expect((await listNames(zone)).sort()).toEqual(rows.map((_, i) => `h${i}`).sort())
    },
    60_000,
  )
})
