// The rules that only datacenters have: their filter, their devices, and the effects of deleting them.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

describe.each(onSqlite())('datacenters on %s', (dialect) => {
  const inv = inventory(dialect)

  test('list the devices that name them', async () => {
    const { api } = inv
    const { id } = await api.datacenters.create({ name: 'd' })
    const inside = await api.devices.create({ name: 'in', datacenter_id: id })
    await api.devices.create({ name: 'out' })
    expect(await api.datacenters.devices({ id })).toEqual([inside])
    await api.devices.update({ id: inside.id, datacenter_id: null })
    expect(await api.datacenters.devices({ id })).toEqual([])
  })

  test('leave their networks and devices behind without a datacenter', async () => {
    const { api } = inv
    const [gone, stays] = [
      await api.datacenters.create({ name: 'gone' }),
      await api.datacenters.create({ name: 'stays' }),
    ]
    const network = await api.networks.create({ name: 'n', subnet: '10.9.0.0/24', datacenter_id: gone.id })
    const other = await api.networks.create({ name: 'o', subnet: '10.9.1.0/24', datacenter_id: stays.id })
    const draft = { addresses: [{ ip: '10.9.0.1' }], tags: ['a', 'b'], domains: ['example.com'] }
    const device = await api.devices.create({ ...draft, name: 'd', datacenter_id: gone.id })
    const neighbour = await api.devices.create({ name: 'e', datacenter_id: stays.id })
    inv.advance(1000)
    await api.datacenters.delete({ id: gone.id })

    const updated_at = inv.now()
    expect(await api.networks.get({ id: network.id })).toEqual({ ...network, datacenter_id: null, updated_at })
    expect(await api.devices.get({ id: device.id })).toEqual({ ...device, datacenter_id: null, updated_at })
    expect(await api.networks.get({ id: other.id })).toEqual(other)
    expect(await api.devices.get({ id: neighbour.id })).toEqual(neighbour)
    expect(await api.networks.devices({ id: network.id })).toEqual([{ ...device, datacenter_id: null, updated_at }])
    expect(await api.devices.list({ datacenter_id: gone.id })).toEqual([])
    expect(await api.networks.list({ datacenter_id: gone.id })).toEqual([])
    expect(await api.devices.search({ q: 'example.com' })).toHaveLength(1)
  })

  test('are deleted whole or not at all, while devices change', async () => {
    const { api } = inv
    const { id } = await api.datacenters.create({ name: 'busy' })
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) => api.devices.create({ name: `b${i}`, datacenter_id: id })),
    )
    const changes = made.map((device) => api.devices.update({ id: device.id, os: 'new' }))
    await Promise.all([...changes.slice(0, 15), api.datacenters.delete({ id }), ...changes.slice(15)])
    const after = await Promise.all(made.map((device) => api.devices.get({ id: device.id })))
    expect(after.map(({ os, datacenter_id }) => ({ os, datacenter_id }))).toEqual(
      made.map(() => ({ os: 'new', datacenter_id: null })),
    )
  })
})
