// A MAC address is read in every spelling at each input: fields, filters, rows of files, searches, lookups and leases.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../testing/estates/inventory.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

const MAC = '00:1b:21:0a:0c:0e'
const SPELLINGS = [
  ...[MAC, '00-1B-21-0A-0C-0E', '001b.210a.0c0e', '001B210A0C0E', '001b-210a-0c0e', '001b21-0a0c0e', '001b21:0a0c0e'],
  ...['0:1b:21:a:c:e', '00 1b 21 0a 0c 0e', '00.1b.21.0a.0c.0e', '0x001b210a0c0e'],
]

describe.each(onSqlite())('a MAC address on %s', (dialect) => {
  const inv = inventory(dialect)
  let count = 0

  test.each(SPELLINGS)('%s is read in fields, filters, rows, searches and lookups', async (mac) => {
    const { api } = inv
    const name = `host-${++count}`
    const device = await api.devices.create({ name, addresses: [{ ip: `10.1.0.${count}`, mac_address: mac }] })
    const port = await api.ports.create({ device_id: device.id, name: 'p1', mac_address: mac })
    const network = await api.networks.create({ name, subnet: `10.2.${count}.0/24` })
    const range = { start_ip: `10.2.${count}.1`, end_ip: `10.2.${count}.9` }
    const pool = await api.pools.create({ network_id: network.id, name, ...range })
    const held = await api.reservations.create({ pool_id: pool.id, ip_address: range.start_ip, mac_address: mac })
    const rows = [{ name: `${name}-row`, addresses: [{ ip: `10.3.0.${count}`, mac_address: mac }] }]
    const answer = await inv.admin.request('POST', '/api/estate/import?resource=devices', rows)
    expect(await answer.text()).toContain('"created":1')
    const imported = (await api.devices.list({})).filter((one) => one.name === `${name}-row`)
    expect([device, ...imported].map(({ addresses }) => addresses[0]?.mac_address)).toEqual([MAC, MAC])
    expect([port.mac_address, held.mac_address]).toEqual([MAC, MAC])
    expect((await api.ports.list({ mac })).map(({ id }) => id)).toEqual([port.id])
    const found = (await api.devices.search({ q: mac })).map((one) => one.name)
    expect(found.toSorted()).toEqual([name, `${name}-row`])
    expect((await api.devices.list({ q: mac })).map((one) => one.name)).toEqual(found)
    const { results } = await api.search.all({ q: mac })
    expect(new Set(results.map(({ type, match }) => `${type} ${match}`))).toEqual(
      new Set([`device ${MAC}`, `port ${MAC}`, `reservation ${MAC}`]),
    )
    expect(await api.lookup.show({ query: mac })).toMatchObject({ kind: 'mac', query: MAC })
    for (const { id } of [device, ...imported]) await api.devices.delete({ id })
    await api.networks.delete({ id: network.id })
  })
})
