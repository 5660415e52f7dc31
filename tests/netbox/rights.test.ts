// A caller who may list some resources only: nested objects of the others are null, or the ones that NetBox demands.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../testing/netbox/door.ts'
import { engines } from '../../testing/servers/servers.ts'

const Row = z.looseObject({ id: z.number() })
const List = z.object({ count: z.number(), results: z.array(Row) })

describe.each(engines())('a caller with few permissions on %s', (dialect) => {
  let door: Door
  let prefix = 0
  let device = 0
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    const place = await api.datacenters.create({ name: 'hidden place' })
    const space = await api.spaces.create({ name: 'hidden space' })
    const rack = await api.racks.create({ name: 'hidden rack', datacenter_id: place.id })
    const type = await api.deviceTypes.create({ manufacturer: 'hidden maker', model: 'hidden model' })
    const network = { name: 'hidden network', subnet: '10.0.0.0/24', datacenter_id: place.id, space_id: space.id }
    await api.networks.create(network)
    const addresses = [{ ip: '10.0.0.5', interface: 'hidden-port', space_id: space.id }]
    const where = { datacenter_id: place.id, device_type_id: type.id, mount: { rack_id: rack.id, position: 1 } }
    const made = await api.devices.create({ name: 'shown', ...where, addresses })
    await api.ports.create({ device_id: made.id, name: 'hidden-port', type: '1000base-t' })
    const rows = async (path: string) => List.parse((await door.get(path)).body).results
    prefix = (await rows('ipam/prefixes/'))[0]?.id ?? 0
    device = (await rows('dcim/devices/'))[0]?.id ?? 0
  })
  afterAll(() => door.close())

  const as = async (permissions: readonly string[]) => {
    const { key } = await door.app.as(permissions)
    return (method: string, path: string, body?: unknown) => door.send(method, path, body, key)
  }

  test('sees a device without its place, rack, type and the mask of its network', async () => {
    const send = await as(['devices:list', 'devices:read'])
    const { body } = await send('GET', `dcim/devices/${device}/`)
    expect(body).toMatchObject({
      name: 'shown',
      site: { name: 'Unassigned' },
      rack: null,
      location: null,
      device_type: { model: 'Unknown', manufacturer: { name: 'Unknown' } },
      primary_ip4: { address: '10.0.0.5/32' },
    })
    expect(JSON.stringify(body)).not.toContain('hidden')
    expect(JSON.stringify((await send('GET', 'dcim/devices/?limit=0')).body)).not.toContain('hidden')
  })

  test.each(['dcim/sites/', 'dcim/racks/', 'dcim/device-types/', 'ipam/prefixes/', 'ipam/vrfs/', 'ipam/ip-ranges/'])(
    'may not list %s',
    async (path) => {
      const send = await as(['devices:list', 'devices:read'])
      expect(await send('GET', path)).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('You do not have permission to perform this action.') },
      })
    },
  )

  test.each([
    ['site', 'hidden-place'],
    ['rack', 'hidden rack'],
    ['device_type', 'hidden-model'],
    ['manufacturer', 'hidden-maker'],
  ])('does not learn by the filter %s whether a hidden object exists', async (name, value) => {
    const send = await as(['devices:list', 'devices:read'])
    expect(await send('GET', `dcim/devices/?${name}=${value}`)).toMatchObject({
      status: 400,
      body: { [name]: [`Select a valid choice. ${value} is not one of the available choices.`] },
    })
  })

  test('sees a prefix without its VRF and scope', async () => {
    const send = await as(['networks:list', 'networks:read'])
    const { body } = await send('GET', `ipam/prefixes/${prefix}/`)
    expect(body).toMatchObject({ vrf: null, scope: null, scope_id: null, scope_type: null, vlan: null })
    expect(JSON.stringify(body)).not.toContain('hidden place')
  })

  test('takes no address without the permission to reserve, and nothing is taken', async () => {
    const send = await as(['networks:list', 'networks:read', 'devices:list', 'devices:read'])
    expect((await send('POST', `ipam/prefixes/${prefix}/available-ips/`, {})).status).toBe(403)
    expect((await send('POST', `ipam/prefixes/${prefix}/available-prefixes/`, { prefix_length: 28 })).status).toBe(403)
    expect((await send('DELETE', `ipam/prefixes/${prefix}/`)).status).toBe(403)
    expect((await send('PATCH', `dcim/devices/${device}/`, { serial: 'x' })).status).toBe(403)
    expect((await send('POST', 'extras/tags/', { name: 'x', slug: 'x' })).status).toBe(403)
    expect(List.parse((await door.get('ipam/ip-addresses/')).body).count).toBe(1)
  })

  test('a key that loses a write during a run is refused at the next call', async () => {
    const { key, userId } = await door.app.as(['devices:list', 'devices:read', 'devices:update'])
    const patch = (serial: string) => door.send('PATCH', `dcim/devices/${device}/`, { serial }, key)
    expect((await patch('one')).status).toBe(200)
    const { api } = door
    await api.users.update({ id: userId, is_active: false })
    expect((await patch('two')).status).toBe(403)
    expect((await door.get(`dcim/devices/${device}/`)).body).toMatchObject({ serial: 'one' })
  })
})
