// Services and custom fields, which are read only; and the lists as a caller with a role in a scope sees them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { people } from '../../../../testing/estates/people.ts'
import { expectNothingHidden, halves } from '../../../../testing/hostile/halves.ts'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines, onSqlite } from '../../../../testing/servers/servers.ts'

const List = z.object({ count: z.number(), results: z.array(z.looseObject({ id: z.number(), name: z.string() })) })

describe.each(onSqlite())('ipam/services and extras/custom-fields on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
  })
  afterAll(() => door.close())

  const list = async (path: string, query = '') => List.parse((await door.get(`${path}/?${query}`)).body)
  const names = async (path: string, query = '') => (await list(path, query)).results.map(({ name }) => name)

  test('without the kind there are no services, and they are not written', async () => {
    expect(await list('ipam/services')).toEqual({ count: 0, results: [] })
    expect((await door.post('ipam/services/', { name: 'http' })).status).toBe(405)
  })

  describe('with the kind', () => {
    beforeAll(async () => {
      const { api } = door
      await api.packs.install({ name: 'services' })
      await api.packs.install({ name: 'tenancy' })
      await api.customFields.create({ resource: 'services', name: 'team', type: 'text' })
      await api.customFields.create({ resource: 'devices', name: 'team', type: 'text', label: 'The team' })
      await api.customFields.create({ resource: 'networks', name: 'status', type: 'text' })
      await api.customFields.create({ resource: 'networks', name: 'area', type: 'choice', choices: ['a', 'b'] })
      await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24' })
      const web = await api.devices.create({ name: 'web', addresses: [{ ip: '10.0.0.5' }, { ip: '10.0.0.6' }] })
      const vm = await api.devices.create({ name: 'vm-1', tags: ['vm'] })
      const create = (name: string, custom: Record<string, string | string[]>) =>
        api.objects.create({ kind_id: 'services', name, custom })
      await create('http', { device: web.id, protocol: 'tcp', ports: '80, 8000-8002', addresses: ['10.0.0.6'] })
      await create('ssh', { device: vm.id, protocol: 'tcp', ports: '22', team: 'ops' })
      await create('dns', { protocol: 'udp', ports: '53' })
    })

    test('a service has its device, its ports and its addresses', async () => {
      const { results } = await list('ipam/services')
      expect(results).toMatchObject([
        { name: 'dns', display: 'dns (UDP/53)', parent_object_type: null, parent_object_id: null, parent: null },
        {
          ...{ name: 'http', parent_object_type: 'dcim.device', parent: { name: 'web' } },
          ...{ protocol: { value: 'tcp', label: 'TCP' }, ports: [80, 8000, 8001, 8002] },
          ...{ ipaddresses: [{ address: '10.0.0.6/24' }], custom_fields: { team: null } },
        },
        { name: 'ssh', parent_object_type: 'virtualization.virtualmachine', custom_fields: { team: 'ops' } },
      ])
      const [, http] = results
      expect(http).toMatchObject({ parent: { id: http?.parent_object_id } })
    })

    test('services are found by their devices, ports and protocols', async () => {
      const [, http, ssh] = (await list('ipam/services')).results
      for (const [query, expected] of [
        ['device=web', ['http']],
        [`device_id=${http?.parent_object_id}`, ['http']],
        ['virtual_machine=vm-1', ['ssh']],
        [`parent_object_type=dcim.device&parent_object_id=${http?.parent_object_id}`, ['http']],
        [`parent_object_id=${ssh?.parent_object_id}&parent_object_type=virtualization.virtualmachine`, ['ssh']],
        ['parent_object_id=999', []],
        ['port=8001', ['http']],
        ['protocol=udp', ['dns']],
        ['name=SSH', ['ssh']],
        ['cf_team=ops', ['ssh']],
        ['q=d', ['dns']],
      ] as const)
        expect([query, await names('ipam/services', query)]).toEqual([query, [...expected]])
    })

    test.each([['device=nothing'], ['port=x'], ['protocol=icmp'], ['parent_object_id=x']])(
      'ipam/services?%s is refused',
      async (query) => {
        const { status, body } = await door.get(`ipam/services/?${query}`)
        expect([status, Object.keys(body as object)]).toEqual([400, query.split('=').slice(0, 1)])
      },
    )

    test('custom fields are those of `custom_fields`, with the kinds of objects that have them', async () => {
      const { results } = await list('extras/custom-fields')
      expect(results.map(({ name }) => name)).not.toContain('status')
      expect(results.filter(({ name }) => ['area', 'team'].includes(name))).toMatchObject([
        {
          ...{ name: 'area', display: 'Area', object_types: ['ipam.prefix'], type: { value: 'select' } },
          ...{ data_type: 'string', required: false, weight: 0, choice_set: null },
        },
        { name: 'team' },
        { name: 'team' },
      ])
      expect(await names('extras/custom-fields', 'name=team&object_type=dcim.device')).toEqual(['team'])
      expect((await door.post('extras/custom-fields/', { name: 'x' })).status).toBe(405)
    })

    test('custom fields are found by name, type and kind of objects', async () => {
      expect(await names('extras/custom-fields', 'name=area')).toEqual(['area'])
      expect(await names('extras/custom-fields', 'type=select&object_type=ipam.prefix')).toEqual(['area'])
      expect(await names('extras/custom-fields', 'object_types=ipam.prefix')).toEqual(['area'])
      expect(await names('extras/custom-fields', 'name=netbox')).toEqual([])
      expect((await door.get('extras/custom-fields/?object_type=x')).status).toBe(400)
    })
  })
})

const Counted = z.object({ count: z.number(), results: z.array(z.object({ id: z.number() })) })

const QUERIES = {
  'ipam/prefixes': [
    '',
    'q=omega',
    'contains=10.2.0.11',
    'within=10.0.0.0/8',
    'prefix=10.2.0.0/24',
    'depth=0',
    'brief=1',
  ],
  'ipam/ip-ranges': ['', 'q=omega', 'contains=10.2.0.11', 'parent=10.0.0.0/8', 'vrf=null'],
  'ipam/vlans': ['', 'q=omega', 'vid__gt=0'],
  'ipam/vrfs': ['', 'q=omega'],
  'ipam/services': [''],
} as const

describe.each(engines())('a caller with a role in a scope on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)

  test.each(Object.entries(QUERIES))('sees nothing of others in %s', async (path, queries) => {
    const made = await estate()
    for (const query of queries) {
      const asked = `GET /netbox/api/${path}/?${query}`
      const answer = await made.ada.ask(asked)
      expect([asked, answer.status]).toEqual([asked, 200])
      expectNothingHidden(made, asked, answer)
      const { count, results } = Counted.parse(answer.body)
      expect([asked, count]).toEqual([asked, results.length])
    }
  })

  test('does not reach the prefixes of others by number', async () => {
    const made = await estate()
    const { body } = await all.admin.ask('GET /netbox/api/ipam/prefixes/?limit=0&fields=id,prefix')
    const { results } = z.object({ results: z.array(z.object({ id: z.number(), prefix: z.string() })) }).parse(body)
    const { body: seen } = await made.ada.ask('GET /netbox/api/ipam/prefixes/?limit=0&fields=id')
    const own = new Set(Counted.parse(seen).results.map(({ id }) => id))
    const others = results.filter(({ id }) => !own.has(id))
    expect(others.length).toBeGreaterThan(0)
    for (const { id } of others) {
      const asked = `/netbox/api/ipam/prefixes/${id}/`
      for (const method of ['GET', 'PATCH'])
        expect(await made.ada.ask(`${method} ${asked}`, method === 'PATCH' ? {} : undefined)).toMatchObject({
          ...{ status: 404, body: { detail: 'No Prefix matches the given query.' } },
        })
      expect((await made.ada.ask(`GET ${asked}available-prefixes/`)).status).toBe(404)
    }
  })

  test('makes prefixes in its scope only', async () => {
    const made = await estate()
    const create = (body: object) => made.ada.ask('POST /netbox/api/ipam/prefixes/', body)
    const { body } = await made.ada.ask('GET /netbox/api/ipam/prefixes/?limit=1&prefix=10.1.0.0/24')
    const Scoped = z.object({ results: z.array(z.object({ scope_type: z.string(), scope_id: z.number() })) })
    const [scope] = Scoped.parse(body).results
    expect(await create({ prefix: '198.18.7.0/24', ...scope })).toMatchObject({
      ...{ status: 201, body: { prefix: '198.18.7.0/24', children: 0 } },
    })
    expect((await create({ prefix: '198.18.8.0/24' })).status).toBe(403)
    // The answer does not tell whether the prefix exists.
    const existing = await create({ prefix: '10.2.0.0/24', ...scope })
    const inside = await create({ prefix: '10.2.0.0/25', ...scope })
    expect([existing.status, existing.body]).toEqual([403, inside.body])
  })
})
