// Types of devices as NetBox has them: the types of Plat, and the texts that devices have in place of one.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const List = z.object({ results: z.array(z.looseObject({ id: z.number(), model: z.string() })) })
const One = z.looseObject({ id: z.number() })

describe.each(engines())('dcim/device-types on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    const ports = [
      { name: 'eth0', kind: 'network' },
      { name: 'front 1', kind: 'network', pass_through: true },
      { name: 'con0', kind: 'console' },
      { name: 'psu0', kind: 'power' },
    ] as const
    const type = await api.deviceTypes.create({
      ...{ manufacturer: 'Cisco', model: 'C9300', part_number: 'C9300-48P', slug: 'cisco-c9300', height: 1.5 },
      ...{ full_depth: false, description: 'a switch\nwith ports', ports: [...ports] },
    })
    await api.devices.create({ name: 'typed', device_type_id: type.id })
    await api.devices.create({ name: 'text', make_model: 'PowerEdge R650' })
    await api.devices.create({ name: 'bare' })
    await api.devices.create({ name: 'machine', tags: ['vm'] })
  })
  afterAll(() => door.close())

  const list = async (query = '') => List.parse((await door.get(`dcim/device-types/?${query}`)).body).results
  const models = async (query: string) => (await list(query)).map(({ model }) => model)

  test('a type has its size, its ports and its devices', async () => {
    expect(await list('model=C9300')).toMatchObject([
      {
        ...{ display: 'C9300', slug: 'cisco-c9300', part_number: 'C9300-48P', u_height: 1.5, is_full_depth: false },
        ...{ manufacturer: { name: 'Cisco', slug: 'cisco' }, description: 'a switch', comments: 'with ports' },
        ...{ interface_template_count: 1, console_port_template_count: 1, power_port_template_count: 1 },
        ...{ device_count: 1, tags: [], custom_fields: {}, front_port_template_count: 0 },
      },
    ])
  })

  test('a text in place of a type is one of the manufacturer Unknown, and is not written', async () => {
    const [text] = await list('slug=poweredge-r650')
    expect(text).toMatchObject({ model: 'PowerEdge R650', manufacturer: { name: 'Unknown' }, device_count: 1 })
    const path = `dcim/device-types/${text?.id}/`
    expect((await door.get(path)).body).toMatchObject({ model: 'PowerEdge R650' })
    expect((await door.patch(path, { part_number: 'x' })).status).toBe(409)
    expect((await door.delete(path)).status).toBe(409)
    expect(await list('model=Unknown')).toMatchObject([{ manufacturer: { slug: 'unknown' }, device_count: 1 }])
  })

  test.each([
    ['', ['C9300', 'PowerEdge R650', 'Unknown']],
    ['manufacturer=cisco', ['C9300']],
    ['manufacturer__n=cisco', ['PowerEdge R650', 'Unknown']],
    ['model__ic=edge', ['PowerEdge R650']],
    ['part_number=C9300-48P', ['C9300']],
    ['part_number__empty=true', ['PowerEdge R650', 'Unknown']],
    ['q=power%20dell', []],
    ['q=unknown%20poweredge', ['PowerEdge R650']],
  ])('%s finds the types that NetBox finds', async (query, wanted) => {
    expect(await models(query)).toEqual(wanted)
  })

  test('a type is made, changed and deleted', async () => {
    const made = await door.post('dcim/device-types/', {
      ...{ manufacturer: { slug: 'cisco' }, model: 'C9500', slug: 'c9500', part_number: 'P', u_height: '2.0' },
      ...{ is_full_depth: true, description: 'one', comments: 'two', subdevice_role: null, tags: [] },
    })
    expect(made).toMatchObject({
      status: 201,
      body: { slug: 'c9500', u_height: 2, part_number: 'P', is_full_depth: true, description: 'one', comments: 'two' },
    })
    const path = `dcim/device-types/${One.parse(made.body).id}/`
    const changed = await door.put(path, {
      ...{ manufacturer: { name: 'Cisco' }, model: 'C9500', slug: 'cisco-c9500', u_height: 1, is_full_depth: false },
    })
    expect(changed.body).toMatchObject({ slug: 'cisco-c9500', u_height: 1, is_full_depth: false, part_number: 'P' })
    expect((await door.patch(path, { model: 'C9500X' })).body).toMatchObject({ model: 'C9500X', slug: 'cisco-c9500' })
    expect((await door.delete(path)).status).toBe(204)
    expect(await door.get(path)).toMatchObject({ status: 404 })
  })

  const valid = { manufacturer: { slug: 'cisco' }, model: 'X', slug: 'x' }
  test.each([
    [{}, { manufacturer: [expect.any(String)], model: [expect.any(String)], slug: [expect.any(String)] }],
    [{ ...valid, manufacturer: null }, { manufacturer: ['This field may not be null.'] }],
    [{ ...valid, manufacturer: { name: 'Nobody' } }, { manufacturer: [expect.stringContaining('not found')] }],
    [{ ...valid, model: 'c9300' }, { non_field_errors: ['The fields manufacturer, model must make a unique set.'] }],
    [{ ...valid, slug: 'cisco-c9300' }, { slug: ['device type with this slug already exists.'] }],
    [{ ...valid, slug: 'poweredge-r650' }, { slug: ['device type with this slug already exists.'] }],
    [{ ...valid, u_height: 0.3 }, { u_height: [expect.any(String)] }],
    [{ ...valid, u_height: 'tall' }, { u_height: ['A valid number is required.'] }],
    [{ ...valid, is_full_depth: 'deep' }, { is_full_depth: ['Must be a valid boolean.'] }],
    [{ ...valid, airflow: 'passive' }, { airflow: ['"passive" has no place in Plat'] }],
    [
      { ...valid, weight: 3, weight_unit: 'kg' },
      { weight: [expect.any(String)], weight_unit: [expect.any(String)] },
    ],
    [{ ...valid, tags: [{ name: 'x' }] }, { tags: [expect.stringContaining('has no place')] }],
    [{ ...valid, default_platform: 1 }, { default_platform: ['1 has no place in Plat'] }],
  ])('%j is refused with the names of NetBox', async (body, messages) => {
    expect(await door.post('dcim/device-types/', body)).toEqual({ status: 400, body: messages })
  })
})
