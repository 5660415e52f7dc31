// Addresses are written as in NetBox: reserved, put on interfaces, moved with their numbers, and freed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Address = z.looseObject({
  ...{ id: z.number(), address: z.string(), dns_name: z.string(), description: z.string(), comments: z.string() },
  role: z.object({ value: z.string() }).nullable(),
  assigned_object_type: z.string().nullable(),
  assigned_object_id: z.number().nullable(),
})
type Address = z.infer<typeof Address>

const PATH = 'ipam/ip-addresses/'
const ON = 'dcim.interface'

describe.each(engines())('writes of ipam/ip-addresses on %s', (dialect) => {
  let door: Door
  const ids = { lan: '', one: '', two: '', machine: '' }
  const ports = { one: 0, two: 0, unnamed: 0, machine: 0 }
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    const blue = await api.spaces.create({ name: 'blue' })
    ids.lan = (await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24' })).id
    await api.networks.create({ name: 'blue lan', subnet: '10.0.0.0/25', space_id: blue.id })
    await api.networks.create({ name: 'v6', subnet: '2001:db8::/64' })
    const at = (ip: string, name = '') => ({ ip, interface: name })
    ids.one = (await api.devices.create({ name: 'one', addresses: [at('10.0.0.201', 'Eth0')] })).id
    ids.two = (await api.devices.create({ name: 'two', addresses: [at('10.0.0.202', 'eth0')] })).id
    await api.devices.create({ name: 'bare', addresses: [at('10.0.0.203')] })
    ids.machine = (await api.devices.create({ name: 'vm', tags: ['vm'], addresses: [at('10.0.0.204', 'ens1')] })).id
    const found = z.object({ results: z.array(Address) }).parse((await door.get(PATH)).body).results
    const numbers = found.map(({ assigned_object_id: id }) => id ?? 0)
    ;[ports.one = 0, ports.two = 0, ports.unnamed = 0, ports.machine = 0] = numbers
  })
  afterAll(() => door.close())

  const make = async (body: object): Promise<Address> => {
    const answer = await door.post(PATH, body)
    expect(answer).toMatchObject({ status: 201 })
    return Address.parse(answer.body)
  }
  const change = async (id: number, body: object): Promise<Address> => {
    const answer = await door.patch(`${PATH}${id}/`, body)
    expect(answer).toMatchObject({ status: 200 })
    expect((await door.get(`${PATH}${id}/`)).body).toEqual(answer.body)
    return Address.parse(answer.body)
  }
  const pools = async () => (await door.api.pools.list({ network_id: ids.lan })).map(({ name }) => name)

  test('an address without an interface is reserved in a pool that is made, then in the smallest that holds it', async () => {
    const made = await make({
      ...{
        address: '10.0.0.9/24',
        dns_name: 'Web.Example.com',
        description: ' why ',
        comments: 'a\nb',
        status: 'active',
      },
      ...{ role: '', vrf: null, tenant: null, nat_inside: null, tags: [], custom_fields: {}, parent: 'ignored' },
    })
    expect(made).toMatchObject({
      ...{ address: '10.0.0.9/24', dns_name: 'web.example.com', description: 'why', comments: 'a\nb' },
      ...{ assigned_object_type: null, assigned_object: null },
    })
    expect(await pools()).toEqual(['addresses'])
    const small = { network_id: ids.lan, name: 'small', start_ip: '10.0.0.10', end_ip: '10.0.0.19' }
    const { id } = await door.api.pools.create(small)
    const other = await make({ address: '10.0.0.10' })
    expect((await door.api.reservations.list({ pool_id: id })).map((one) => one.ip_address)).toEqual(['10.0.0.10'])
    expect((await door.delete(`${PATH}${other.id}/`)).status).toBe(204)
    expect((await door.get(`${PATH}${other.id}/`)).status).toBe(404)
    expect(await door.api.reservations.list({ pool_id: id })).toEqual([])
  })

  test.each([
    ['10.0.0.21/24', '10.0.0.21/24'],
    ['10.0.0.22/32', '10.0.0.22/24'],
    ['10.0.0.23', '10.0.0.23/24'],
    ['2001:DB8:0::5/64', '2001:db8::5/64'],
    ['2001:db8::6/128', '2001:db8::6/64'],
  ])('the address %s is taken as %s', async (address, shown) => {
    const made = await make({ address })
    expect(made.address).toBe(shown)
    expect((await change(made.id, { address })).address).toBe(shown)
    expect((await door.put(`${PATH}${made.id}/`, { address: shown })).status).toBe(200)
  })

  test('an address of an interface is an address of its device, in no network too', async () => {
    const made = await make({
      ...{ address: '172.16.0.1/32', assigned_object_type: ON, assigned_object_id: ports.one, role: 'loopback' },
      ...{ dns_name: 'lo.example.com', description: 'router id' },
    })
    expect(made).toMatchObject({
      ...{ address: '172.16.0.1/32', role: { value: 'loopback' }, dns_name: 'lo.example.com' },
      ...{ description: 'router id', assigned_object: { name: 'Eth0', device: { name: 'one' } } },
    })
    const { addresses } = await door.api.devices.get({ id: ids.one })
    expect(addresses.at(-1)).toMatchObject({
      ip: '172.16.0.1',
      interface: 'Eth0',
      label: 'router id',
      role: 'loopback',
    })
    const changed = await change(made.id, { role: '', dns_name: '', description: '' })
    expect(changed).toMatchObject({ role: null, dns_name: '', description: '' })
    await door.delete(`${PATH}${made.id}/`)
    expect((await door.api.devices.get({ id: ids.one })).addresses.map(({ ip }) => ip)).toEqual(['10.0.0.201'])
  })

  test('an address moves from free to a device, to another one, to a machine and back, and keeps number and values', async () => {
    const { id } = await make({ address: '10.0.0.31/24', dns_name: 'a.example.com', description: 'one' })
    const [first] = (await door.api.reservations.all({})).filter((one) => one.ip_address === '10.0.0.31')
    await door.api.reservations.update({ id: first?.id ?? '', mac_address: '02:00:00:00:00:01' })
    const kept = { id, address: '10.0.0.31/24', dns_name: 'a.example.com', description: 'one' }
    const on = await change(id, { assigned_object_type: ON, assigned_object_id: ports.one })
    expect(on).toMatchObject({ ...kept, assigned_object: { name: 'Eth0' } })
    const { addresses } = await door.api.devices.get({ id: ids.one })
    expect(addresses.at(-1)).toMatchObject({ ip: '10.0.0.31', mac_address: '02:00:00:00:00:01' })
    expect((await door.api.reservations.all({})).map((one) => one.ip_address)).not.toContain('10.0.0.31')
    expect(await change(id, { assigned_object_id: ports.two })).toMatchObject({
      ...kept,
      assigned_object: { name: 'eth0', device: { name: 'two' } },
    })
    const machine = { assigned_object_type: 'virtualization.vminterface', assigned_object_id: ports.machine }
    expect(await change(id, machine)).toMatchObject({ ...kept, assigned_object: { virtual_machine: { name: 'vm' } } })
    expect(await change(id, { assigned_object_type: '' })).toMatchObject({ ...kept, assigned_object: null })
    const [back] = (await door.api.reservations.all({})).filter((one) => one.ip_address === '10.0.0.31')
    expect(back).toMatchObject({ hostname: 'a.example.com', purpose: 'one', mac_address: '02:00:00:00:00:01' })
    const named = { device: { name: 'bare' }, name: 'unnamed' }
    await change(id, { assigned_object_type: ON, assigned_object_id: named })
    expect(await change(id, { assigned_object_type: null, assigned_object_id: null })).toMatchObject(kept)
    await door.delete(`${PATH}${id}/`)
  })

  test('an address moves to another VRF and keeps its number', async () => {
    const { id } = await make({ address: '10.0.0.41/24' })
    const moved = await change(id, { vrf: { name: 'blue' } })
    expect(moved).toMatchObject({ id, address: '10.0.0.41/25', vrf: { name: 'blue' } })
    expect(await change(id, { vrf: null })).toMatchObject({ id, address: '10.0.0.41/24', vrf: null })
  })

  test('an IP that its space has is a duplicate, unless a role shares it', async () => {
    await make({ address: '10.0.0.51', vrf: { name: 'blue' } })
    await make({ address: '10.0.0.51' })
    const duplicate = (place: string) => ({
      status: 400,
      body: { address: [`Duplicate IP address found in ${place}`] },
    })
    expect(await door.post(PATH, { address: '10.0.0.51' })).toEqual(duplicate('global table: 10.0.0.51/24'))
    const blue = { address: '10.0.0.51', vrf: { name: 'blue' } }
    expect(await door.post(PATH, blue)).toEqual(duplicate('VRF blue: 10.0.0.51/25'))
    const held = { address: '10.0.0.202', assigned_object_type: ON, assigned_object_id: ports.one }
    expect(await door.post(PATH, held)).toEqual(duplicate('global table: 10.0.0.202/24'))
    const vip = { address: '10.0.0.52', role: 'vip', assigned_object_type: ON }
    await make({ ...vip, assigned_object_id: ports.one })
    await make({ ...vip, assigned_object_id: ports.two })
    expect(await door.post(PATH, { ...vip, assigned_object_id: ports.two })).toEqual(
      duplicate('global table: 10.0.0.52/24'),
    )
  })

  test.each([
    [{}, { address: ['This field is required.'] }],
    [{ address: null }, { address: ['Enter a valid IPv4 or IPv6 address with optional mask.'] }],
    [{ address: '10.0.0.300/24' }, { address: ['Enter a valid IPv4 or IPv6 address with optional mask.'] }],
    [{ address: '10.0.0.60/33' }, { address: ['Enter a valid IPv4 or IPv6 address with optional mask.'] }],
    [
      { address: '10.0.0.60/25' },
      { address: ['has another mask than its prefix 10.0.0.0/24: send 10.0.0.60/24, or /32'] },
    ],
    [{ address: '192.168.0.1/32' }, { address: ['is in no prefix: create the prefix first'] }],
    [{ address: '10.0.0.0/24' }, { address: ['is outside of the pool (10.0.0.1 - 10.0.0.254)'] }],
    [{ address: '10.0.0.60', vrf: 7 }, { vrf: ['Related object not found using the provided numeric ID: 7'] }],
    [{ address: '10.0.0.60', role: 'boss' }, { role: ['"boss" is not a valid choice.'] }],
    [
      { address: '10.0.0.60', role: 'vip' },
      { role: ['"vip" has no place here: define the custom field "role" of addresses'] },
    ],
    [
      { address: '10.0.0.60', status: 'dhcp' },
      { status: ['"dhcp" has no place here: define the custom field "status" of addresses'] },
    ],
    [{ address: '10.0.0.60', nat_inside: 7 }, { nat_inside: ['7 has no place in Plat'] }],
    [{ address: '10.0.0.60', description: ['x'] }, { description: ['Not a valid string.'] }],
    [{ address: '10.0.0.60', dns_name: 'a b' }, { dns_name: [expect.stringContaining('host name')] }],
    [
      { address: '10.0.0.60', assigned_object_type: 'ipam.fhrpgroup', assigned_object_id: 1 },
      { assigned_object_type: [expect.stringContaining('dcim.interface')] },
    ],
    [
      { address: '10.0.0.60', assigned_object_type: ON, assigned_object_id: 7 },
      { assigned_object_id: ['Related object not found using the provided numeric ID: 7'] },
    ],
    [{ address: '10.0.0.60', assigned_object_id: 7 }, { assigned_object_type: [expect.stringContaining('required')] }],
    [{ address: '10.0.0.60', assigned_object_type: ON }, { assigned_object_id: [expect.stringContaining('required')] }],
    [{ address: '10.0.0.60', custom_fields: { x: 1 } }, { custom_fields: [expect.stringContaining("'x'")] }],
  ])('the new address %j is refused by its field', async (body, message) => {
    expect(await door.post(PATH, body)).toEqual({ status: 400, body: message })
  })

  test('values without a place on an interface, or off it, are refused and not lost', async () => {
    const { id } = await make({ address: '10.0.0.61', comments: 'keep me' })
    const on = { assigned_object_type: ON, assigned_object_id: ports.one }
    const missing = (field: string, value: string) => ({
      status: 400,
      body: { [field]: [`"${value}" has no place here: define the custom field "${field}" of addresses`] },
    })
    expect(await door.patch(`${PATH}${id}/`, on)).toEqual(missing('comments', 'keep me'))
    await change(id, { ...on, comments: '', role: 'anycast' })
    expect(await door.patch(`${PATH}${id}/`, { assigned_object_type: null })).toEqual(missing('role', 'anycast'))
    expect((await door.patch(`${PATH}${id}/`, { description: 'Eth0' })).status).toBe(400)
    expect((await door.patch(`${PATH}${id}/`, { address: '10.0.0.62/24' })).status).toBe(400)
    await door.delete(`${PATH}${id}/`)
  })

  test('a list is written whole or not at all, and names the item that is wrong', async () => {
    const answer = await door.post(PATH, [
      { address: '10.0.0.71' },
      { address: '10.0.0.72', assigned_object_type: ON, assigned_object_id: ports.one },
      { address: '10.0.0.73', vrf: { name: 'blue' } },
    ])
    expect(answer.status).toBe(201)
    const made = z.array(Address).parse(answer.body)
    expect(made.map(({ address }) => address)).toEqual(['10.0.0.71/24', '10.0.0.72/24', '10.0.0.73/25'])
    const bad = await door.post(PATH, [{ address: '10.0.0.74' }, { address: '10.0.0.71' }])
    const message = 'Duplicate IP address found in global table: 10.0.0.71/24'
    expect(bad).toEqual({ status: 400, body: [{}, { address: [message] }] })
    expect((await door.get(`${PATH}?address=10.0.0.74`)).body).toMatchObject({ count: 0 })
    const changes = made.map(({ id }, i) => ({ id, description: `d${i}` }))
    expect((await door.patch(PATH, changes)).body).toMatchObject(changes)
    expect(
      (
        await door.delete(
          PATH,
          made.map(({ id }) => ({ id })),
        )
      ).status,
    ).toBe(204)
    expect((await door.get(`${PATH}?parent=10.0.0.71&parent=10.0.0.72&parent=10.0.0.73`)).body).toMatchObject({
      count: 0,
    })
  })

  test('a write that changes nothing writes nothing', async () => {
    const { id } = await make({ address: '10.0.0.81', description: 'same' })
    const before = (await door.get(`${PATH}${id}/`)).body
    await change(id, { address: '10.0.0.81/24', description: 'same', vrf: null, assigned_object_type: null })
    expect((await door.get(`${PATH}${id}/`)).body).toEqual(before)
  })

  test('custom fields of addresses are written, and move with the address', async () => {
    const { api } = door
    const resource = 'addresses' as const
    await api.customFields.create({ resource, name: 'status', type: 'choice', choices: ['reserved', 'dhcp'] })
    await api.customFields.create({ resource, name: 'role', type: 'text' })
    await api.customFields.create({ resource, name: 'comments', type: 'text' })
    await api.customFields.create({ resource, name: 'note', type: 'text' })
    const values = { status: 'dhcp', role: 'vip', comments: 'x', custom_fields: { note: 'n' } }
    const shown = { status: { value: 'dhcp' }, role: { value: 'vip' }, comments: 'x', custom_fields: { note: 'n' } }
    const { id } = await make({ address: '10.0.0.91', ...values })
    expect((await door.get(`${PATH}${id}/`)).body).toMatchObject(shown)
    expect(await change(id, { assigned_object_type: ON, assigned_object_id: ports.one })).toMatchObject(shown)
    expect((await api.devices.get({ id: ids.one })).addresses.at(-1)).toMatchObject({ role: 'vip' })
    expect(await change(id, { assigned_object_type: null })).toMatchObject(shown)
    expect(await change(id, { role: '', comments: '', status: 'active', custom_fields: { note: null } })).toMatchObject(
      {
        ...{ status: { value: 'active' }, role: null, comments: '', custom_fields: { note: null } },
      },
    )
    await door.delete(`${PATH}${id}/`)
  })

  test('a number names one address through random moves, deletions and undo', async () => {
    const seen = new Map<number, string>()
    const live = new Map<number, string>()
    // A fixed sequence: xorshift.
    let state = 7
    const pick = (below: number): number => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return Math.abs(state) % below
    }
    const targets = [
      { assigned_object_type: null, assigned_object_id: null },
      { assigned_object_type: ON, assigned_object_id: ports.one },
      { assigned_object_type: ON, assigned_object_id: ports.two },
      { assigned_object_type: 'virtualization.vminterface', assigned_object_id: ports.machine },
    ]
    const takeBack = async () => {
      const [last] = await door.api.history.list({ limit: 1 })
      if (last) await door.api.history.undo({ id: last.id })
    }
    const check = async () => {
      const { results } = z
        .object({ results: z.array(Address) })
        .parse((await door.get(`${PATH}?parent=10.0.0.96/28`)).body)
      expect(new Set(results.map(({ id }) => id)).size).toBe(results.length)
      for (const { id, address } of results) {
        // No number names two addresses, now or later.
        expect(seen.get(id) ?? address).toBe(address)
        seen.set(id, address)
      }
      return results
    }
    for (let step = 0; step < 60; step++) {
      const address = `10.0.0.${97 + pick(6)}/24`
      const id = [...live].find(([, one]) => one === address)?.[0]
      const action = pick(10)
      if (id === undefined) {
        const made = await make({ address, ...targets[pick(targets.length)] })
        live.set(made.id, address)
      } else if (action === 0) {
        expect((await door.delete(`${PATH}${id}/`)).status).toBe(204)
        live.delete(id)
      } else if (action === 1) {
        await takeBack()
        live.clear()
        for (const one of await check()) live.set(one.id, one.address)
      } else expect(await change(id, targets[pick(targets.length)] ?? {})).toMatchObject({ id, address })
      const now = await check()
      expect(now.map((one) => one.id).sort()).toEqual([...live.keys()].sort())
    }
  })
})
