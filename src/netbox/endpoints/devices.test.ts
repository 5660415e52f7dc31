// Devices as NetBox has them: read, filtered, written, with its errors.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../testing/netbox/door.ts'
import { engines } from '../../../testing/servers/servers.ts'

const List = z.object({ count: z.number(), results: z.array(z.looseObject({ id: z.number(), name: z.string() })) })

describe.each(engines())('dcim/devices on %s', (dialect) => {
  let door: Door
  let site = ''
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    site = (await api.datacenters.create({ name: 'Zürich' })).id
    await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24', datacenter_id: site })
    const rack = await api.racks.create({ name: 'R1', datacenter_id: site })
    await api.devices.create({
      ...{ name: 'switch-1', datacenter_id: site, os: 'IOS XE', role: 'Core Switch', tags: ['prod', 'größe'] },
      ...{ make_model: 'Cisco 9300', description: 'first line\nsecond', serial: 'FOC1', asset_tag: 'A-1' },
      addresses: [{ ip: '10.0.0.5', interface: 'eth0' }, { ip: '2001:db8::5' }],
      mount: { rack_id: rack.id, position: 3 },
    })
    await api.devices.create({ name: 'bare' })
    await api.devices.create({ name: 'machine', tags: ['vm'] })
  })
  afterAll(() => door.close())

  const list = async (query: string) => List.parse((await door.get(`dcim/devices/?${query}`)).body)
  const names = async (query: string) => (await list(query)).results.map(({ name }) => name)

  test('a device has the fields of NetBox, and nested objects with their numbers', async () => {
    const [, device] = (await list('')).results
    expect(device).toMatchObject({
      display: 'switch-1 (A-1)',
      device_type: { model: 'Cisco 9300', manufacturer: { name: 'Unknown' }, slug: 'cisco-9300', device_count: 1 },
      role: { name: 'Core Switch', slug: 'core-switch', device_count: 1, virtualmachine_count: 0, _depth: 0 },
      platform: { name: 'IOS XE', slug: 'ios-xe' },
      site: { name: 'Zürich', slug: 'zurich' },
      rack: { name: 'R1', device_count: 1 },
      position: 3,
      face: { value: 'front', label: 'Front' },
      status: { value: 'active', label: 'Active' },
      primary_ip: { address: '10.0.0.5/24', family: { value: 4, label: 'IPv4' } },
      primary_ip6: { address: '2001:db8::5/128', family: { value: 6, label: 'IPv6' } },
      description: 'first line',
      comments: 'second',
      tags: [{ name: 'prod' }, { name: 'größe', slug: 'gro-e' }],
      interface_count: 2,
    })
    expect(device?.url).toBe(`http://localhost/netbox/api/dcim/devices/${device?.id}/`)
  })

  test('a device without site, role and type has what NetBox demands', async () => {
    const [bare] = (await list('name=bare')).results
    expect(bare).toMatchObject({
      site: { name: 'Unassigned', slug: 'unassigned' },
      role: { name: 'Unassigned' },
      device_type: { model: 'Unknown', manufacturer: { name: 'Unknown' } },
      platform: null,
      primary_ip: null,
    })
  })

  test.each([
    ['name=SWITCH-1', ['switch-1']],
    ['name=switch-1&name=bare', ['bare', 'switch-1']],
    ['name__n=bare', ['switch-1']],
    ['name__ic=WITCH', ['switch-1']],
    ['name__nic=witch', ['bare']],
    ['name__isw=sw&name__iew=1', ['switch-1']],
    ['name=', ['bare', 'switch-1']],
    ['serial=foc1', ['switch-1']],
    ['serial__empty=true', ['bare']],
    ['asset_tag=A-1', ['switch-1']],
    ['site=zurich', ['switch-1']],
    ['site=unassigned', ['bare']],
    ['site__n=zurich', ['bare']],
    ['role=core-switch', ['switch-1']],
    ['role=unassigned', ['bare']],
    ['platform=ios-xe', ['switch-1']],
    ['platform=null', ['bare']],
    ['platform__n=ios-xe', ['bare']],
    ['tag=prod', ['switch-1']],
    ['tag__n=prod', ['bare']],
    ['tag=prod&tag=gro-e', ['switch-1']],
    ['rack=R1', ['switch-1']],
    ['rack=null', ['bare']],
    ['manufacturer=unknown', ['bare', 'switch-1']],
    ['device_type=cisco-9300', ['switch-1']],
    ['status=active', ['bare', 'switch-1']],
    ['status=offline', []],
    ['has_primary_ip=true', ['switch-1']],
    ['has_primary_ip=FALSE', ['bare']],
    ['position=3', ['switch-1']],
    ['face=front', ['switch-1']],
    ['q=core', ['switch-1']],
    ['q=', ['bare', 'switch-1']],
    ['created__gte=2020-01-01', ['bare', 'switch-1']],
    ['created__lt=2020-01-01T00:00:00Z', []],
    ['tenant=null', ['bare', 'switch-1']],
  ])('%s finds the devices that NetBox finds', async (query, wanted) => {
    expect(await names(query)).toEqual(wanted)
  })

  test.each([
    ['cpu=1', { cpu: [expect.stringContaining('is no filter of this list in Plat')] }],
    ['site=nowhere', { site: ['Select a valid choice. nowhere is not one of the available choices.'] }],
    ['site=', { site: [expect.stringContaining('Select a valid choice')] }],
    ['status=', { status: [expect.stringContaining('Select a valid choice')] }],
    ['site_id=x', { site_id: ['Enter a number.'] }],
    ['has_primary_ip=perhaps', { has_primary_ip: ['Enter true or false.'] }],
    ['created__gte=soon', { created__gte: ['Enter a valid date/time.'] }],
    ['cf_owner=x', { cf_owner: [expect.any(String)] }],
    ['as_of=2020-01-01', { as_of: [expect.any(String)] }],
  ])('%s is refused on the parameter', async (query, body) => {
    expect(await door.get(`dcim/devices/?${query}`)).toMatchObject({ status: 400, body })
  })

  test('pages have links, and the same devices as the whole list', async () => {
    const first = await door.get('dcim/devices/?limit=1')
    expect(first.body).toMatchObject({
      count: 2,
      previous: null,
      next: 'http://localhost/netbox/api/dcim/devices/?limit=1&offset=1',
    })
    const second = await door.get('dcim/devices/?limit=1&offset=1')
    expect(second.body).toMatchObject({ next: null, previous: 'http://localhost/netbox/api/dcim/devices/?limit=1' })
    expect(await names('limit=0')).toEqual(['bare', 'switch-1'])
    expect(await names('limit=many&offset=-1')).toEqual(['bare', 'switch-1'])
    expect(await names('ordering=-name')).toEqual(['switch-1', 'bare'])
    expect(await names('ordering=nothing,-id')).toHaveLength(2)
  })

  test.each([
    ['brief=1', ['id', 'url', 'display', 'name', 'description']],
    ['brief=0', ['id', 'url', 'display', 'name', 'description']],
    ['fields=name,serial,nothing', ['name', 'serial']],
    ['fields=id', ['id']],
  ])('%s selects fields', async (query, wanted) => {
    const { body } = await door.get(`dcim/devices/?${query}`)
    const { results } = z.object({ results: z.array(z.looseObject({})) }).parse(body)
    expect(Object.keys(results[0] ?? {}).sort()).toEqual(wanted.toSorted())
  })

  test('an id finds its device, and an unknown one nothing', async () => {
    const [{ id } = { id: 0 }] = (await list('name=bare')).results
    expect(await names(`id=${id}`)).toEqual(['bare'])
    expect(await names(`id=${id}&name=other`)).toEqual([])
    expect(await names(`id=${id}&q=bare`)).toEqual(['bare'])
    expect(await names(`id__n=${id}`)).toEqual(['switch-1'])
    expect(await names(`id__gte=${id}&id__lte=${id}`)).toEqual(['bare'])
    expect(await names('id=7')).toEqual([])
    expect((await door.get(`dcim/devices/${id}`)).body).toMatchObject({ id, name: 'bare' })
    expect(await door.get('dcim/devices/7/')).toEqual({
      status: 404,
      body: { detail: 'No Device matches the given query.' },
    })
  })

  test('a device is created, changed and deleted, with one change each', async () => {
    const made = await door.post('dcim/devices/', {
      ...{ name: 'new', site: { name: 'Zürich' }, role: { slug: 'core-switch' }, status: 'offline' },
      ...{
        serial: ' S1 ',
        tags: [{ name: 'prod' }],
        comments: 'text',
        rack: { name: 'R1' },
        position: 7,
        parent: 'ignored',
      },
    })
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'new', serial: 'S1', comments: 'text', description: '', status: { value: 'offline' }, position: 7 },
    })
    const { id } = z.looseObject({ id: z.number() }).parse(made.body)
    const path = `dcim/devices/${id}/`
    expect((await door.patch(path, { platform: { slug: 'ios-xe' }, description: 'd' })).body).toMatchObject({
      ...{ platform: { name: 'IOS XE' }, description: 'd', comments: 'text', serial: 'S1' },
      site: { slug: 'zurich' },
    })
    expect(await door.put(path, { serial: 'S2' })).toEqual({ status: 400, body: { name: ['This field is required.'] } })
    expect((await door.put(path, { name: 'newer', serial: 'S2' })).body).toMatchObject({ name: 'newer', serial: 'S2' })
    expect((await door.patch(path, { site: null, rack: null })).body).toMatchObject({
      site: { name: 'Unassigned' },
      rack: null,
    })
    expect(await door.delete(path)).toEqual({ status: 204, body: undefined })
    expect((await door.get(path)).status).toBe(404)
  })

  test.each([
    [{ name: '' }, { name: ['This field may not be blank.'] }],
    [{}, { name: ['This field is required.'] }],
    [{ name: 'x', site: 7 }, { site: ['Related object not found using the provided numeric ID: 7'] }],
    [{ name: 'x', role: { slug: 'none' } }, { role: [expect.stringContaining('using the provided attributes')] }],
    [{ name: 'x', status: 'odd' }, { status: ['"odd" is not a valid choice.'] }],
    [
      { name: 'x', status: 'staged' },
      { status: [expect.stringContaining('define the custom field "status" of devices')] },
    ],
    [{ name: 'x', airflow: 'passive' }, { airflow: [expect.stringContaining('has no place here')] }],
    [{ name: 'x', tags: [{ name: 'nowhere' }] }, { tags: [expect.stringContaining('Related object not found')] }],
    [{ name: 'x', tags: 'prod' }, { tags: [expect.stringContaining('Expected a list of items')] }],
    [{ name: 'x', asset_tag: 'a-1' }, { asset_tag: [expect.any(String)] }],
    [
      { name: 'x', custom_fields: { owner: 'me' } },
      { custom_fields: [expect.stringContaining("Custom field 'owner'")] },
    ],
    [{ name: 'x', face: 'front' }, { face: ['Cannot select a rack face without assigning a rack.'] }],
  ])('%j is refused with the names of NetBox', async (body, messages) => {
    expect(await door.post('dcim/devices/', body)).toEqual({ status: 400, body: messages })
  })

  test('a list of devices is made whole or not at all', async () => {
    const refused = await door.post('dcim/devices/', [{ name: 'one' }, { name: '' }])
    expect(refused).toEqual({ status: 400, body: [{}, { name: ['This field may not be blank.'] }] })
    expect(await names('name=one')).toEqual([])
    const made = await door.post('dcim/devices/', [{ name: 'one' }, { name: 'two' }])
    const rows = z.array(z.looseObject({ id: z.number() })).parse(made.body)
    const changed = await door.patch(
      'dcim/devices/',
      rows.map(({ id }) => ({ id, status: 'planned' })),
    )
    expect(changed.body).toMatchObject([{ status: { value: 'planned' } }, { status: { value: 'planned' } }])
    expect(await door.delete('dcim/devices/', rows)).toEqual({ status: 204, body: undefined })
  })

  test('the primary address is moved before the others, and must be of the device', async () => {
    const { api } = door
    await api.devices.create({ name: 'two addresses', addresses: [{ ip: '10.0.0.8' }, { ip: '10.0.0.9' }] })
    const [device] = (await list('name=two addresses')).results
    const [other] = (await list('name=switch-1')).results
    const primary = z.looseObject({ id: z.number() }).parse(other?.primary_ip4)
    const path = `dcim/devices/${device?.id}/`
    expect(await door.patch(path, { primary_ip4: primary.id })).toMatchObject({
      status: 400,
      body: { primary_ip4: [expect.any(String)] },
    })
    expect((await door.patch(path, { primary_ip4: { address: '10.0.0.9/24' } })).body).toMatchObject({
      primary_ip4: { address: '10.0.0.9/24' },
    })
    expect((await door.patch(path, { primary_ip4: null })).status).toBe(200)
    await door.delete(path)
  })

  test('custom fields serve as fields of NetBox, or are custom fields', async () => {
    const { api } = door
    const field = { resource: 'devices' as const, type: 'choice' as const }
    await api.customFields.create({ ...field, name: 'airflow', choices: ['passive', 'mixed'] })
    await api.customFields.create({ ...field, name: 'status', choices: ['staged', 'failed', 'inventory'] })
    await api.customFields.create({ resource: 'devices', type: 'integer', name: 'watts' })
    const made = await door.post('dcim/devices/', {
      name: 'custom',
      airflow: 'passive',
      status: 'staged',
      custom_fields: { watts: 7 },
    })
    expect(made.body).toMatchObject({
      airflow: { value: 'passive', label: 'Passive' },
      status: { value: 'staged', label: 'Staged' },
      custom_fields: { watts: 7 },
    })
    const { id } = z.looseObject({ id: z.number() }).parse(made.body)
    expect(await names('cf_watts=7')).toEqual(['custom'])
    expect(await names('cf_watts__gt=7')).toEqual([])
    expect(await names('status=staged')).toEqual(['custom'])
    expect((await door.patch(`dcim/devices/${id}/`, { status: 'active', airflow: '' })).body).toMatchObject({
      status: { value: 'active' },
      airflow: null,
    })
    expect(await door.post('dcim/devices/', { name: 'x', custom_fields: { watts: 'many' } })).toMatchObject({
      status: 400,
      body: { custom_fields: [expect.any(String)] },
    })
  })

  test('OPTIONS names the fields and the choices', async () => {
    const { body } = await door.send('OPTIONS', 'dcim/devices/')
    expect(body).toMatchObject({
      name: 'Device List',
      actions: {
        POST: {
          name: { type: 'string', required: true, read_only: false },
          status: { choices: expect.arrayContaining([{ value: 'active', display_name: 'Active' }]) },
          device_bay_count: { read_only: true },
        },
      },
    })
  })
})
