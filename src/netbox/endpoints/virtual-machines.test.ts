// Virtual machines: the devices with the tag `vm`, as NetBox has them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../testing/netbox/door.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const List = z.object({ results: z.array(z.looseObject({ id: z.number(), name: z.string() })) })
const Made = z.looseObject({ id: z.number() })

describe.each(onSqlite())('virtual machines on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    await api.packs.install({ name: 'virtualization' })
    await api.objects.create({ kind_id: 'clusters', name: 'Cluster Süd' })
    await api.devices.create({ name: 'host' })
    await api.devices.create({ name: 'vm-1', tags: ['vm', 'web'], role: 'web', addresses: [{ ip: '192.0.2.1' }] })
  })
  afterAll(() => door.close())

  const names = async (query: string) =>
    List.parse((await door.get(`virtualization/virtual-machines/?${query}`)).body).results.map(({ name }) => name)

  test('the tag decides on which list a device is', async () => {
    expect(await names('')).toEqual(['vm-1'])
    const devices = List.parse((await door.get('dcim/devices/')).body).results
    expect(devices.map(({ name }) => name)).toEqual(['host'])
  })

  test('a machine without a site and a role has none', async () => {
    const [machine] = List.parse((await door.get('virtualization/virtual-machines/')).body).results
    expect(machine).toMatchObject({
      site: null,
      role: { name: 'web', virtualmachine_count: 1 },
      tags: [{ name: 'web' }],
    })
    expect(await names('site=null')).toEqual(['vm-1'])
    expect(await names('role=web&tag=web&has_primary_ip=true')).toEqual(['vm-1'])
    expect(await names('role=null')).toEqual([])
  })

  test('a machine is made with its cluster, its host and its sizes, and reads back', async () => {
    const made = await door.post('virtualization/virtual-machines/', {
      ...{ name: 'made', cluster: { name: 'Cluster Süd' }, device: { name: 'host' }, tags: [{ slug: 'web' }] },
      ...{ vcpus: 2.5, memory: 4096, disk: 20_000, status: 'active', comments: 'x\ny' },
    })
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ cluster: { name: 'Cluster Süd', virtualmachine_count: 1 }, device: { name: 'host' }, vcpus: 2.5 },
        ...{ memory: 4096, disk: 20_000, tags: [{ name: 'web' }], comments: 'x\ny' },
      },
    })
    const { id } = Made.parse(made.body)
    expect(await names('cluster=Cluster Süd')).toEqual(['made'])
    expect(await names('device=host')).toEqual(['made'])
    const path = `virtualization/virtual-machines/${id}/`
    expect((await door.patch(path, { device: null, tags: [] })).body).toMatchObject({ device: null, tags: [] })
    expect((await door.get(path)).status).toBe(200)
    expect((await door.delete(path)).status).toBe(204)
  })

  test('a status that Plat has not is refused, or kept in the custom field', async () => {
    const staged = { name: 'staged', status: 'paused' }
    expect(await door.post('virtualization/virtual-machines/', staged)).toMatchObject({
      status: 400,
      body: { status: [expect.stringContaining('define the custom field "status" of devices')] },
    })
  })
})
