// Addresses as NetBox has them: of devices, of virtual machines, and reserved; read and filtered.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Address = z.looseObject({
  id: z.number(),
  address: z.string(),
  assigned_object_id: z.number().nullable(),
  assigned_object: z.looseObject({ id: z.number() }).nullable(),
})
const List = z.object({ count: z.number(), next: z.string().nullable(), results: z.array(Address) })

describe.each(engines())('ipam/ip-addresses on %s', (dialect) => {
  let door: Door
  const ids = { switch: 0, machine: 0, blue: 0, port: 0 }
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    const blue = await api.spaces.create({ name: 'blue' })
    const lan = await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24' })
    await api.networks.create({ name: 'blue lan', subnet: '10.0.0.0/25', space_id: blue.id })
    const pool = await api.pools.create({
      ...{ network_id: lan.id, name: 'pool', start_ip: '10.0.0.1', end_ip: '10.0.0.99' },
    })
    const device = await api.devices.create({
      name: 'switch-1',
      addresses: [
        { ip: '10.0.0.5', interface: 'Eth0', label: 'up Link', dns_name: 'sw.example.com', role: 'vip' },
        { ip: '10.0.0.5', interface: 'eth9', label: 'second entry' },
        { ip: '2001:db8::5', interface: 'lo0', label: 'lo0', role: 'loopback' },
        { ip: '10.0.0.7', space_id: blue.id },
      ],
    })
    const other = await api.devices.create({ name: 'other' })
    const port = { name: 'eth0', type: '1000base-t' }
    const own = await api.ports.create({ ...port, device_id: device.id, description: 'to the core' })
    const far = await api.ports.create({ ...port, device_id: other.id })
    await api.cables.create({ a: { port_id: own.id }, b: { port_id: far.id }, label: 'C1' })
    await api.devices.create({ name: 'machine', tags: ['vm'], addresses: [{ ip: '10.0.0.9', interface: 'eth0' }] })
    await api.reservations.create({
      ...{ pool_id: pool.id, ip_address: '10.0.0.6', hostname: 'Web.example.com', purpose: 'Größe K', notes: 'a\nb' },
    })
    const find = async (path: string) =>
      z.object({ results: z.array(z.object({ id: z.number() })) }).parse((await door.get(path)).body).results[0]?.id ??
      0
    ids.switch = await find('dcim/devices/?name=switch-1')
    const { results } = await list('')
    const [first] = results
    ids.port = first?.assigned_object_id ?? 0
    ids.machine = z
      .object({ assigned_object: z.object({ virtual_machine: z.object({ id: z.number() }) }) })
      .parse(results.find(({ address }) => address === '10.0.0.9/24')).assigned_object.virtual_machine.id
    ids.blue = z
      .object({ vrf: z.object({ id: z.number() }) })
      .parse(results.find(({ address }) => address === '10.0.0.7/25')).vrf.id
  })
  afterAll(() => door.close())

  const list = async (query: string) => List.parse((await door.get(`ipam/ip-addresses/?${query}`)).body)
  const addresses = async (query: string) => (await list(query)).results.map(({ address }) => address)
  const fill = (query: string) => query.replace(/\{(\w+)\}/g, (_, name: keyof typeof ids) => String(ids[name]))

  test('an address of a device is on its interface, with the cable', async () => {
    const [first] = (await list('')).results
    expect(first).toMatchObject({
      ...{ display: '10.0.0.5/24', family: { value: 4, label: 'IPv4' }, vrf: null, tenant: null },
      ...{ status: { value: 'active', label: 'Active' }, role: { value: 'vip', label: 'VIP' } },
      ...{ assigned_object_type: 'dcim.interface', dns_name: 'sw.example.com', description: 'up Link', comments: '' },
      assigned_object: {
        ...{ display: 'eth0', name: 'eth0', description: 'to the core', _occupied: true },
        device: { name: 'switch-1' },
        cable: { display: 'C1', label: 'C1' },
      },
      ...{ nat_inside: null, nat_outside: [], owner: null, tags: [], custom_fields: {} },
    })
    expect(first?.assigned_object_id).toBe(first?.assigned_object?.id ?? null)
    expect(first?.url).toBe(`http://localhost/netbox/api/ipam/ip-addresses/${first?.id}/`)
    expect((await door.get(`ipam/ip-addresses/${first?.id}/`)).body).toEqual(first)
  })

  test('an address without an interface is a reservation, and that of a machine is on its interface', async () => {
    const [, free, machine, , unnamed] = (await list('')).results
    expect(free).toMatchObject({
      ...{ address: '10.0.0.6/24', dns_name: 'Web.example.com', description: 'Größe K', comments: 'a\nb', role: null },
      ...{ assigned_object_type: null, assigned_object_id: null, assigned_object: null },
    })
    expect(machine).toMatchObject({
      assigned_object_type: 'virtualization.vminterface',
      assigned_object: { name: 'eth0', virtual_machine: { name: 'machine' } },
    })
    expect(machine?.assigned_object).not.toHaveProperty('cable')
    expect(unnamed).toMatchObject({
      address: '10.0.0.7/25',
      vrf: { name: 'blue' },
      assigned_object: { name: 'unnamed' },
    })
  })

  const ALL = ['10.0.0.5/24', '10.0.0.6/24', '10.0.0.9/24', '2001:db8::5/128', '10.0.0.7/25']
  const [SWITCH, FREE, MACHINE, LOOP, BLUE] = [
    '10.0.0.5/24',
    '10.0.0.6/24',
    '10.0.0.9/24',
    '2001:db8::5/128',
    '10.0.0.7/25',
  ]

  test.each([
    ['', ALL],
    ['limit=2&offset=1', [FREE, MACHINE]],
    ['limit=0', ALL],
    ['limit=0&offset=3', [LOOP, BLUE]],
    ['ordering=address', [SWITCH, FREE, BLUE, MACHINE, LOOP]],
    ['ordering=-address&limit=2', [LOOP, MACHINE]],
    ['address=10.0.0.5', [SWITCH]],
    ['address=10.0.0.5/24', [SWITCH]],
    ['address=10.0.0.5/32', [SWITCH]],
    ['address=10.0.0.5/25', []],
    ['address=10.0.0.5&address=10.0.0.6/24', [SWITCH, FREE]],
    ['address__n=10.0.0.5/24', [FREE, MACHINE, LOOP, BLUE]],
    ['address=2001:DB8:0::5', [LOOP]],
    ['address=', ALL],
    ['parent=10.0.0.0/29', [SWITCH, FREE, BLUE]],
    ['parent=10.0.0.0/29&vrf_id=null', [SWITCH, FREE]],
    ['parent=10.0.0.6', [FREE]],
    ['parent=2001:db8::/32&parent=10.0.0.9/32', [MACHINE, LOOP]],
    ['parent=10.0.0.9/24', ALL.filter((one) => one !== LOOP)],
    ['family=6', [LOOP]],
    ['family__n=6', ALL.filter((one) => one !== LOOP)],
    ['mask_length=24', [SWITCH, FREE, MACHINE]],
    ['mask_length__gte=25', [LOOP, BLUE]],
    ['vrf=blue', [BLUE]],
    ['vrf_id={blue}', [BLUE]],
    ['vrf_id__n={blue}', ALL.filter((one) => one !== BLUE)],
    ['vrf_id=null&vrf_id={blue}', ALL],
    ['dns_name__ic=EXAMPLE', [SWITCH, FREE]],
    ['dns_name=web.example.com', [FREE]],
    ['dns_name__empty=true', [MACHINE, LOOP, BLUE]],
    ['dns_name__empty=false&family=4&vrf_id=null', [SWITCH, FREE]],
    ['dns_name__nisw=sw', ALL.filter((one) => one !== SWITCH)],
    ['description=up Link', [SWITCH]],
    ['description__ic=größe k', [FREE]],
    ['description__empty=true', [MACHINE, LOOP, BLUE]],
    ['q=GRÖSSE', []],
    ['q=größe', [FREE]],
    ['q=link', [SWITCH]],
    ['q=10.0.0.6', [FREE]],
    ['q=example', [SWITCH, FREE]],
    ['q=', ALL],
    ['device=switch-1', [SWITCH, LOOP, BLUE]],
    ['device_id={switch}', [SWITCH, LOOP, BLUE]],
    ['device_id={switch}&device_id=7', [SWITCH, LOOP, BLUE]],
    ['device_id=7', []],
    ['device=nobody', []],
    ['device_id=null', [FREE, MACHINE]],
    ['device_id__n={switch}', [FREE, MACHINE]],
    ['virtual_machine=machine', [MACHINE]],
    ['virtual_machine_id={machine}', [MACHINE]],
    ['virtual_machine_id=7', []],
    ['interface=ETH0', [SWITCH]],
    ['interface=unnamed', [BLUE]],
    ['interface_id={port}', [SWITCH]],
    ['assigned_object={port}&assigned_object_id={port}&interface_id={port}', [SWITCH]],
    ['assigned_object_id=77', []],
    ['interface_id__n={port}', ALL.filter((one) => one !== SWITCH)],
    ['assigned=true', ALL.filter((one) => one !== FREE)],
    ['assigned=0', [FREE]],
    ['assigned_to_interface=False', [FREE]],
    ['role=vip', [SWITCH]],
    ['role=vip&role=loopback', [SWITCH, LOOP]],
    ['role=null', [FREE, MACHINE, BLUE]],
    ['role__n=vip', ALL.filter((one) => one !== SWITCH)],
    ['status=active', ALL],
    ['status=dhcp', []],
    ['status__n=dhcp', ALL],
    ['tag=null', ALL],
    ['tenant=null', ALL],
    ['tenant_id__n=null', []],
  ])('the filter %s finds its addresses', async (query, wanted) => {
    const { count, results } = await list(fill(query))
    expect(results.map(({ address }) => address)).toEqual(wanted)
    if (!query.includes('limit') && !query.includes('offset')) expect(count).toBe(wanted.length)
  })

  test.each([
    ['address=x', { address: ['Enter a valid IPv4 or IPv6 address, with or without a mask.'] }],
    ['address=10.0.0.1/33', { address: ['Enter a valid IPv4 or IPv6 address, with or without a mask.'] }],
    ['parent=10.0.0', { parent: ['Enter a valid IPv4 or IPv6 address, with or without a mask.'] }],
    ['family=5', { family: ['Select a valid choice. 5 is not one of the available choices.'] }],
    ['vrf_id=7', { vrf_id: ['Select a valid choice. 7 is not one of the available choices.'] }],
    ['interface_id=7', { interface_id: ['Select a valid choice. 7 is not one of the available choices.'] }],
    ['role=boss', { role: ['Select a valid choice. boss is not one of the available choices.'] }],
    ['assigned=maybe', { assigned: ['Enter true or false.'] }],
    ['fhrpgroup_id=1', { fhrpgroup_id: [expect.stringContaining('is no filter of this list in Plat')] }],
  ])('the filter %s is refused', async (query, body) => {
    expect(await door.get(`ipam/ip-addresses/?${query}`)).toEqual({ status: 400, body })
  })

  test('custom fields of addresses are fields of NetBox, and filters', async () => {
    const { api } = door
    const resource = 'addresses' as const
    await api.customFields.create({ resource, name: 'status', type: 'choice', choices: ['dhcp', 'reserved'] })
    await api.customFields.create({ resource, name: 'tags', type: 'choice', multiple: true, choices: ['a b', 'c'] })
    await api.customFields.create({ resource, name: 'note', type: 'text' })
    await api.devices.create({
      name: 'custom',
      addresses: [{ ip: '10.9.0.1', custom: { status: 'dhcp', tags: ['a b'], note: 'Hi' } }, { ip: '10.9.0.2' }],
    })
    const [one] = (await list('parent=10.9.0.0/24')).results
    expect(one).toMatchObject({ status: { value: 'dhcp' }, tags: [{ slug: 'a-b' }], custom_fields: { note: 'Hi' } })
    expect(Object.keys(z.object({ custom_fields: z.object({}).loose() }).parse(one).custom_fields)).toEqual(['note'])
    expect(await addresses('status=dhcp')).toEqual(['10.9.0.1/32'])
    expect(await addresses('tag=a-b')).toEqual(['10.9.0.1/32'])
    expect(await addresses('cf_note=Hi&parent=10.9.0.0/24')).toEqual(['10.9.0.1/32'])
    expect(await addresses('status=active&parent=10.9.0.0/24')).toEqual(['10.9.0.2/32'])
    expect(await addresses('tag__n=a-b&parent=10.9.0.0/24')).toEqual(['10.9.0.2/32'])
  })

  test('an expired reservation is in no list and no count', async () => {
    const { api } = door
    const lan = await api.networks.create({ name: 'short', subnet: '10.8.0.0/24' })
    const pool = await api.pools.create({
      ...{ network_id: lan.id, name: 'short', start_ip: '10.8.0.1', end_ip: '10.8.0.9' },
    })
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    await api.reservations.create({ pool_id: pool.id, ip_address: '10.8.0.1', expires_at })
    const [{ id } = { id: 0 }] = (await list('parent=10.8.0.0/24')).results
    await door.app.db.write(({ db }) =>
      db
        .updateTable('reservations')
        .set({ expires_at: '2020-01-01T00:00:00.000Z' })
        .where('ip_address', '=', '10.8.0.1')
        .execute(),
    )
    expect(await list('parent=10.8.0.0/24')).toMatchObject({ count: 0, results: [] })
    expect((await door.get(`ipam/ip-addresses/${id}/`)).status).toBe(404)
  })

  test('a number of no address is 404', async () => {
    const answer = await door.get('ipam/ip-addresses/0/')
    expect(answer).toEqual({ status: 404, body: { detail: 'No IP address matches the given query.' } })
  })
})
