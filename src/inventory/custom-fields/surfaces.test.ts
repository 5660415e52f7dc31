// Custom fields on the surfaces: the document of the API, the tools of models, query strings and events.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { callTool, connect } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

type Json = Readonly<Record<string, unknown>>

/** Returns the value at a path of names. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((found, name) => (found as Record<string | number, unknown> | undefined)?.[name], value)

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)
  const define = async (body: object): Promise<string> => {
    const answer = await inv.ask('POST /api/custom-fields', { resource: 'devices', type: 'text', ...body })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return (answer.body as { id: string }).id
  }
  const undefine = (id: string) => inv.ask(`DELETE /api/custom-fields/${id}?force=true`)
  const document = async (headers: Record<string, string> = {}) => {
    const response = await inv.admin.request('GET', '/api/openapi.json', undefined, headers)
    const text = await response.text()
    return {
      status: response.status,
      etag: response.headers.get('etag') ?? '',
      json: text && (JSON.parse(text) as Json),
    }
  }
  const parameterOf = (json: unknown, path: string) =>
    (at(json, 'paths', path, 'get', 'parameters') as Json[]).find(({ name }) => name === 'custom')
  const bodyOf = (json: unknown, path: string, method: string, ...more: readonly (string | number)[]) =>
    at(json, 'paths', path, method, 'requestBody', 'content', 'application/json', 'schema', 'properties', ...more)

  test('the document of the API has the defined fields, and another ETag with each change', async () => {
    const before = await document()
    expect(at(before.json, 'components', 'schemas', 'Device', 'properties', 'custom')).toMatchObject({ type: 'object' })
    expect(at(before.json, 'components', 'schemas', 'Device', 'properties', 'custom', 'properties')).toBeUndefined()
    expect((await document({ 'If-None-Match': before.etag })).status).toBe(304)
    const ids = [
      await define({ name: 'owner', label: 'Owner', description: 'The team', required: true }),
      await define({ name: 'watts', type: 'integer', minimum: 0, maximum: 900 }),
      await define({ name: 'zones', type: 'choice', choices: ['a', 'b'], multiple: true, resource: 'addresses' }),
      await define({ name: 'tier', type: 'choice', choices: ['1', '2'], resource: 'networks' }),
    ]
    const { status, etag, json } = await document({ 'If-None-Match': before.etag })
    expect([status, etag === before.etag]).toEqual([200, false])
    expect(at(json, 'components', 'schemas', 'Device', 'properties', 'custom', 'properties')).toEqual({
      owner: { type: 'string', description: 'Owner. The team' },
      watts: { type: 'integer', minimum: 0, maximum: 900 },
    })
    const zones = { zones: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } }
    expect(at(json, 'components', 'schemas', 'Address', 'properties', 'custom', 'properties')).toEqual(zones)
    expect(at(json, 'components', 'schemas', 'Reservation', 'properties', 'custom', 'properties')).toEqual(zones)
    expect(at(json, 'components', 'schemas', 'Network', 'properties', 'custom', 'properties')).toEqual({
      tier: { type: 'string', enum: ['1', '2'] },
    })
    expect(at(json, 'components', 'schemas', 'Pool', 'properties', 'custom', 'properties')).toBeUndefined()
    const input = {
      owner: { type: ['string', 'null'], description: 'Owner. The team. Required in a new object' },
      watts: { type: ['integer', 'null'], minimum: 0, maximum: 900 },
    }
    expect(bodyOf(json, '/api/devices', 'post', 'custom', 'properties')).toEqual(input)
    expect(bodyOf(json, '/api/devices/{id}', 'put', 'custom', 'properties')).toEqual(input)
    expect(Object.keys(bodyOf(json, '/api/networks/{id}/allocate', 'post', 'custom', 'properties') as Json)).toEqual([
      'tier',
    ])
    expect(parameterOf(json, '/api/devices')).toMatchObject({
      ...{ in: 'query', style: 'form', explode: true },
      schema: {
        properties: { 'custom.owner': { type: 'string' }, 'custom.watts.min': { type: 'string' } },
        additionalProperties: false,
      },
    })
    const page = await (await inv.admin.request('GET', '/api/docs')).text()
    expect(page).toContain('The team')
    for (const id of ids) await undefine(id)
    expect((await document({ 'If-None-Match': before.etag })).status).toBe(304)
  })

  test('the tools of models have custom fields only where some are defined', async () => {
    const peer = { fetch: inv.app.fetch, key: inv.admin.key }
    const client = await connect(peer)
    const toolOf = async (name: string) => (await client.listTools()).tools.find((tool) => tool.name === name)
    const without = JSON.stringify(await client.listTools())
    expect(without).not.toContain('"custom"')
    const id = await define({ name: 'owner', label: 'Owner', required: true })
    const tier = await define({ name: 'tier', type: 'integer', resource: 'vlans' })
    const create = await toolOf('device_create')
    expect(at(create, 'inputSchema', 'properties', 'custom', 'properties')).toEqual({
      owner: { type: ['string', 'null'], description: 'Owner. Required in a new object' },
    })
    expect(at(create, 'outputSchema', 'properties', 'custom', 'properties')).toEqual({ owner: { type: 'string' } })
    expect(at(await toolOf('device_list'), 'inputSchema', 'properties', 'custom', 'properties')).toEqual({
      owner: { type: 'string', description: 'Owner' },
    })
    expect(JSON.stringify(await toolOf('network_list'))).not.toContain('"custom"')
    const found = await callTool(peer, 'search_operations', { query: 'create a vlan' })
    const { operations } = found.value as { operations: { operation: string; input: string }[] }
    expect(operations.find(({ operation }) => operation === 'vlans.create')?.input).toContain(
      'custom?: { tier?: integer | null }',
    )
    await callTool(peer, 'device_create', { name: 'web-1', custom: { owner: 'neteng' } })
    await callTool(peer, 'device_create', { name: 'web-2', custom: { owner: 'ops' } })
    const listed = await callTool(peer, 'device_list', { custom: { owner: 'NETENG' }, fields: ['name', 'custom'] })
    expect(listed.value).toMatchObject({ items: [['web-1', { owner: 'neteng' }]], total: 1 })
    const refused = await callTool(peer, 'device_create', { name: 'web-3', custom: { owner: 'x', other: 1 } })
    expect(refused).toMatchObject({ isError: true, value: { details: [{ field: 'custom.other' }] } })
    await undefine(id)
    await undefine(tier)
    expect(JSON.stringify(await client.listTools())).toBe(without)
  })

  test('tools take the name of the object of a reference', async () => {
    const peer = { fetch: inv.app.fetch, key: inv.admin.key }
    const id = await define({ name: 'rack_of', type: 'reference', reference_to: 'racks' })
    const rack = await inv.api.racks.create({ name: 'R1' })
    const made = await callTool(peer, 'device_create', { name: 'named', custom: { rack_of: 'r1' } })
    expect(made).toMatchObject({ isError: false, value: { custom: { rack_of: rack.id } } })
    const refused = await callTool(peer, 'device_list', { custom: { rack_of: 'R2' } })
    expect(refused).toMatchObject({ isError: true, value: { details: [{ field: 'custom.rack_of' }] } })
    await undefine(id)
  })

  test('events of networks carry the values, and name the changed ones', async () => {
    const id = await define({ name: 'owner', resource: 'networks' })
    const { id: hook } = await inv.api.webhooks.create({
      ...{ name: 'h', url: 'http://h.invalid/' },
      events: ['network.created', 'network.updated'],
    })
    const network = await inv.api.networks.create({ name: 'n', subnet: '10.1.0.0/24', custom: { owner: 'a' } })
    await inv.api.networks.update({ id: network.id, description: 'x', custom: { owner: 'b' } })
    await inv.api.networks.update({ id: network.id, custom: null })
    const sent = await Promise.all(
      (await inv.api.webhooks.deliveries({ id: hook })).map((one) =>
        inv.api.webhooks.delivery({ id: hook, delivery_id: one.id }),
      ),
    )
    const data = sent.map(({ payload }) => payload).reverse()
    expect(data).toMatchObject([
      { data: { custom: { owner: 'a' } } },
      { data: { custom: { owner: 'b' }, changes: ['description', 'custom.owner'] } },
      { data: { changes: ['custom.owner'] } },
    ])
    await undefine(id)
  })

  test.each(['networks', 'pools', 'datacenters'] as const)(
    'a search finds the searchable ones of %s',
    async (resource) => {
      const ids = [
        await define({ name: 'found', resource, searchable: true }),
        await define({
          name: 'zone',
          resource,
          type: 'choice',
          choices: ['Zürich', 'b'],
          multiple: true,
          searchable: true,
        }),
        await define({ name: 'hidden', resource }),
      ]
      const custom = { found: `Needle-${resource}`, hidden: `secret-${resource}`, zone: ['b', 'Zürich'] }
      const dc = await inv.api.datacenters.create({
        name: `dc-${resource}`,
        ...(resource === 'datacenters' && { custom }),
      })
      const subnet = `10.${{ networks: 61, pools: 62, datacenters: 63 }[resource]}.0.0/24`
      const network = await inv.api.networks.create({
        ...{ name: `net-${resource}`, subnet, datacenter_id: dc.id },
        ...(resource === 'networks' && { custom }),
      })
      await inv.api.pools.create({
        ...{ network_id: network.id, name: `pool-${resource}` },
        ...{ start_ip: subnet.replace('0/24', '1'), end_ip: subnet.replace('0/24', '9') },
        ...(resource === 'pools' && { custom }),
      })
      const found = async (q: string) =>
        (await inv.api.search.all({ q })).results.map(({ type, name }) => `${type} ${name}`)
      const names = {
        networks: 'network net-networks',
        pools: 'pool pool-pools',
        datacenters: 'datacenter dc-datacenters',
      }
      expect(await found(`needle-${resource}`)).toEqual([names[resource]])
      expect(await found(`zürich needle`)).toEqual([names[resource]])
      expect(await found(`secret-${resource}`)).toEqual([])
      await inv.ask(`PUT /api/custom-fields/${ids[0]}`, { searchable: false })
      expect(await found(`needle-${resource}`)).toEqual([])
      for (const id of ids) await undefine(id)
      expect(await found('zürich')).toEqual([])
    },
  )

  test('a search as of the past finds the values of then, of devices and of networks', async () => {
    const ids = [
      await define({ name: 'sign', searchable: true }),
      await define({ name: 'zones', type: 'choice', choices: ['Zürich', 'b'], multiple: true, searchable: true }),
      await define({ name: 'hidden' }),
      await define({ name: 'sign', resource: 'networks', searchable: true }),
    ]
    const custom = { sign: 'Ärger-ONE', zones: ['b', 'Zürich'], hidden: 'covered' }
    const plain = await inv.api.devices.create({ name: 'past-1', custom: { sign: 'Needle-ONE', hidden: 'covered' } })
    const umlaut = await inv.api.devices.create({ name: 'past-2', custom })
    const network = await inv.api.networks.create({
      ...{ name: 'past-net', subnet: '10.99.0.0/24', custom: { sign: 'Needle-ONE' } },
    })
    const [change] = await inv.api.history.list({ limit: 1 })
    const seek = async (path: string, q: string) =>
      (await inv.ask(`GET ${path}?q=${encodeURIComponent(q)}&as_of=${change?.id}`)).body as Json
    const found = async (q: string) => ((await seek('/api/search', q)).results as Json[]).map(({ name }) => name).sort()
    const expected = async () => [
      await found('needle-one'),
      await found('ärger'),
      await found('past zürich'),
      await found('covered'),
      at(await seek('/api/devices/search', 'needle'), 0, 'name'),
    ]
    const then = [['past-1', 'past-net'], ['past-2'], ['past-2'], [], 'past-1']
    expect(await expected()).toEqual(then)
    await inv.api.devices.update({ id: plain.id, custom: { sign: 'other' } })
    await inv.api.devices.update({ id: umlaut.id, custom: null })
    await inv.api.networks.update({ id: network.id, custom: { sign: null } })
    expect(await expected()).toEqual(then)
    for (const id of ids) await undefine(id)
    await inv.api.devices.delete({ id: plain.id })
    await inv.api.devices.delete({ id: umlaut.id })
    expect(await expected()).toEqual(then)
  })

  test('an undo brings objects back with the values that they had, without defaults and required values', async () => {
    const device = await inv.api.devices.create({ name: 'older', addresses: [{ ip: '10.98.0.1' }] })
    const rack = await inv.api.racks.create({ name: 'older' })
    const ids = [
      await define({ name: 'team', required: true }),
      await define({ name: 'ttl', resource: 'addresses', type: 'integer', default: 300 }),
      await define({ name: 'tier', resource: 'racks', default: 'a' }),
    ]
    const undo = async (method: string, path: string, body?: object) => {
      const done = await inv.admin.request(method, path, body)
      const undone = await inv.ask(`POST /api/history/${done.headers.get('x-change-id')}/undo`)
      expect([done.status < 300, undone.status]).toEqual([true, 200])
    }
    await undo('DELETE', `/api/racks/${rack.id}`)
    expect(await inv.api.racks.get({ id: rack.id })).toEqual({ ...rack, updated_at: inv.now() })
    await undo('DELETE', `/api/devices/${device.id}`)
    expect(await inv.api.devices.get({ id: device.id })).toEqual({ ...device, updated_at: inv.now() })
    await undo('PUT', `/api/devices/${device.id}`, { addresses: [{ ip: '10.98.0.2' }] })
    expect((await inv.api.devices.get({ id: device.id })).addresses).toEqual(device.addresses)
    for (const id of ids) await undefine(id)
  })

  test('allocated networks take values, and the parts of a split network take the values that are not unique', async () => {
    const ids = [
      await define({ name: 'owner', resource: 'networks', required: true }),
      await define({ name: 'serial', resource: 'networks', unique: true }),
    ]
    const { id } = await inv.api.networks.create({
      ...{ name: 'whole', subnet: '10.80.0.0/22' },
      custom: { owner: 'neteng', serial: 'S1' },
    })
    const refused = await inv.ask(`POST /api/networks/${id}/allocate`, { prefix_length: 24 })
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'custom.owner' }] } })
    const made = await inv.api.networks.allocate({ id, prefix_length: 24, custom: { owner: 'ops' } })
    expect(made.networks.map(({ custom }) => custom)).toEqual([{ owner: 'ops' }])
    const split = await inv.api.networks.split({ id, prefix_length: 24 })
    expect(split.networks.map(({ custom }) => custom)).toEqual(Array(3).fill({ owner: 'neteng' }))
    expect(split.network.custom).toEqual({ owner: 'neteng', serial: 'S1' })
    for (const one of ids) await undefine(one)
  })

  test('the parts of a network from before a required field take its value from the split', async () => {
    const { id } = await inv.api.networks.create({ name: 'old', subnet: '10.82.0.0/23' })
    const field = await define({ name: 'owner', resource: 'networks', required: true })
    const refused = await inv.ask(`POST /api/networks/${id}/split`, { prefix_length: 24 })
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'custom.owner' }] } })
    const { networks, network } = await inv.api.networks.split({ id, prefix_length: 24, custom: { owner: 'ops' } })
    expect([network.custom, ...networks.map(({ custom }) => custom)]).toEqual([
      undefined,
      { owner: 'ops' },
      { owner: 'ops' },
    ])
    await undefine(field)
  })

  test('reservations of an allocation take values', async () => {
    const field = await define({ name: 'ticket', resource: 'addresses', required: true, pattern: '[A-Z]+-[0-9]+' })
    const { id: network_id } = await inv.api.networks.create({ name: 'alloc', subnet: '10.81.0.0/24' })
    const range = { start_ip: '10.81.0.1', end_ip: '10.81.0.9' }
    const { id } = await inv.api.pools.create({ network_id, name: 'alloc', ...range })
    const refused = await inv.ask(`POST /api/pools/${id}/allocate`, { custom: { ticket: 'none' } })
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'custom.ticket' }] } })
    expect((await inv.ask(`POST /api/pools/${id}/allocate`, {})).status).toBe(400)
    const { ips, reservations } = await inv.api.reservations.allocate({ id, count: 2, custom: { ticket: 'NET-1' } })
    expect([ips, reservations.map(({ custom }) => custom)]).toEqual([
      ['10.81.0.1', '10.81.0.2'],
      [{ ticket: 'NET-1' }, { ticket: 'NET-1' }],
    ])
    const device = await inv.api.devices.create({ name: 'allocated' })
    const bad = await inv.ask(`POST /api/pools/${id}/allocate`, { device_id: device.id, custom: { ticket: 'x' } })
    expect(bad).toMatchObject({ status: 400, body: { details: [{ field: 'custom.ticket' }] } })
    await inv.api.reservations.allocate({ id, device_id: device.id, custom: { ticket: 'NET-2' } })
    const { addresses } = await inv.api.devices.get({ id: device.id })
    expect(addresses).toMatchObject([{ ip: '10.81.0.3', custom: { ticket: 'NET-2' } }])
    await undefine(field)
  })
})
