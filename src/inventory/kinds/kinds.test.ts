// The rules of kinds: their ids and names, their fields, and what their objects exclude.
import { describe, expect, test } from 'bun:test'
import { alreadyExists, failure, fieldsOf, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'
import { toKindId, toSingularName } from './names.ts'

describe('a name makes', () => {
  test.each([
    ['Circuits', 'circuits', 'Circuit'],
    ['Power feeds', 'power-feeds', 'Power feed'],
    ['Companies', 'companies', 'Company'],
    ['Switches', 'switches', 'Switch'],
    ['Boxes', 'boxes', 'Box'],
    ['Addresses', 'addresses', 'Address'],
    ['Brushes', 'brushes', 'Brush'],
    ['Glass', 'glass', 'Glass'],
    ['Leases', 'leases', 'Lease'],
    ['Équipements', 'equipements', 'Équipement'],
    ['AS numbers (public)', 'as-numbers-public', 'AS numbers (public)'],
    ['10 Racks', 'racks', '10 Rack'],
    ['電話', '', '電話'],
  ])('of %s the id "%s" and the noun %s', (name, id, singular) => {
    expect([toKindId(name), toSingularName(name)]).toEqual([id, singular])
  })
})

describe.each(engines())('kinds on %s', (dialect) => {
  const inv = inventory(dialect)
  const define = async (body: object) => {
    const answer = await inv.ask('POST /api/kinds', body)
    expect([answer.status, answer.body]).toEqual([201, answer.body])
    return answer.body as { readonly id: string }
  }
  const add = async (kind_id: string, body: object) => {
    const answer = await inv.ask('POST /api/objects', { kind_id, ...body })
    expect([answer.status, answer.body]).toEqual([201, answer.body])
    return answer.body as { readonly id: string }
  }

  test('are defined with their fields in one change, in the order of the call', async () => {
    const fields = [
      { name: 'provider', type: 'text', required: true },
      { name: 'speed', label: 'Speed', type: 'integer', minimum: 1 },
      { name: 'phase', type: 'choice', choices: ['1', '3'], position: 40 },
    ]
    expect(await define({ name: 'Circuits', located: true, fields })).toMatchObject({
      ...{ id: 'circuits', singular: 'Circuit', icon: 'box', nested: false, located: true, unique_names: true },
      ...{ navigation: true, position: 0 },
    })
    expect((await inv.ask('GET /api/history?limit=1')).body).toMatchObject([
      { operation: 'kinds.create', summary: 'creates 1 kind and 3 custom fields' },
    ])
    await add('circuits', { name: 'CID-1', custom: { provider: 'Acme', speed: 100 } })
    const { body } = await inv.ask('GET /api/kinds/circuits?include=usage&include=fields')
    expect(body).toMatchObject({
      objects: 1,
      fields: [{ name: 'provider', position: 0 }, { position: 1 }, { position: 40 }],
    })
    const [first] = (await inv.ask('GET /api/kinds?include=usage&include=fields')).body as unknown[]
    expect(first).toEqual(body)
  })

  test('refuse a wrong field by its place, and then nothing is made', async () => {
    const fields = [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'choice' },
    ]
    expect(await inv.ask('POST /api/kinds', { name: 'Halves', fields })).toMatchObject(refusal('fields[1].choices'))
    const unknown = { name: 'Halves', fields: [{ name: 'a', type: 'nothing' }] }
    expect(await inv.ask('POST /api/kinds', unknown)).toMatchObject(refusal('fields[0].type'))
    expect(await inv.ask('GET /api/kinds/halves')).toMatchObject({ status: 404 })
    expect((await inv.ask('GET /api/custom-fields?resource=halves')).body).toEqual([])
  })

  test('have a name and an id of their own, and no word of Plat as the id', async () => {
    await define({ name: 'Licences' })
    expect(await inv.ask('POST /api/kinds', { id: 'other', name: 'LICENCES' })).toMatchObject(alreadyExists)
    expect(await inv.ask('POST /api/kinds', { id: 'licences', name: 'Other' })).toMatchObject(alreadyExists)
    for (const name of ['Devices', 'Kind', 'Imports', 'New', 'Packs', 'Login', '電話', '10']) {
      const answer = await inv.ask('POST /api/kinds', { name })
      expect([name, name === 'Imports' ? ['id'] : fieldsOf(answer)]).toEqual([name, ['id']])
    }
    expect(await inv.ask('POST /api/kinds', { id: 'Großes', name: 'x' })).toMatchObject(refusal('id'))
  })

  test('keep what their objects need', async () => {
    await define({ name: 'Rooms', nested: true, located: true, unique_names: false })
    const { id: place } = (await inv.ask('POST /api/datacenters', { name: 'FRA1' })).body as { id: string }
    const top = await add('rooms', { name: 'A', datacenter_id: place })
    await add('rooms', { name: 'a', parent_id: top.id })
    const change = (body: object) => inv.ask('PUT /api/kinds/rooms', body)
    expect(await change({ nested: false, located: false, unique_names: true })).toMatchObject(
      refusal('nested', 'located', 'unique_names'),
    )
    expect(await change({ fields: [{ name: 'x', type: 'text' }] })).toMatchObject(refusal('fields'))
    expect(await change({ description: 'Of the building' })).toMatchObject({ status: 200 })
  })

  test('go with their fields, and only without objects and references', async () => {
    await define({ name: 'Vendors', fields: [{ name: 'portal', type: 'url' }] })
    const one = await add('vendors', { name: 'Acme' })
    const remove = () => inv.ask('DELETE /api/kinds/vendors')
    expect(await remove()).toMatchObject({
      ...failure(409, 'IN_USE'),
      body: { error: 'The kind "Vendors" has 1 object' },
    })
    const field = { resource: 'racks', name: 'vendor', type: 'reference', reference_to: 'vendors' }
    const { id } = (await inv.ask('POST /api/custom-fields', field)).body as { id: string }
    await inv.ask(`DELETE /api/objects/${one.id}`)
    expect(await remove()).toMatchObject({
      body: { code: 'IN_USE', error: 'The custom field "vendor" of racks refers to the kind "Vendors"' },
    })
    await inv.ask(`DELETE /api/custom-fields/${id}`)
    const gone = await remove()
    expect(gone.status).toBe(204)
    expect((await inv.ask('GET /api/custom-fields?resource=vendors')).body).toEqual([])
    const [change] = (await inv.ask('GET /api/history?limit=1')).body as { id: string; operation: string }[]
    expect(change?.operation).toBe('kinds.delete')
    expect(await inv.ask(`POST /api/history/${change?.id}/undo`, {})).toMatchObject({ status: 200 })
    const back = (await inv.ask('GET /api/kinds/vendors?include=fields')).body
    expect(back).toMatchObject({ name: 'Vendors', fields: [{ name: 'portal', type: 'url' }] })
  })

  test('are what custom fields may belong to and refer to; another word is refused with all there are', async () => {
    await define({ name: 'Teams' })
    const field = { name: 'x', type: 'text' }
    for (const [name, body] of [
      ['resource', { ...field, resource: 'team' }],
      ['reference_to', { ...field, resource: 'teams', type: 'reference', reference_to: 'nothing' }],
    ] as const) {
      const answer = await inv.ask('POST /api/custom-fields', body)
      expect(answer).toMatchObject(refusal(name))
      expect(JSON.stringify(answer.body)).toContain('teams')
    }
    const own = { ...field, resource: 'teams', type: 'reference', reference_to: 'teams', multiple: true }
    expect(await inv.ask('POST /api/custom-fields', own)).toMatchObject({ status: 201 })
  })
})

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)

  test('there are at most 100 kinds', async () => {
    for (let n = 0; n < 100; n++) expect((await inv.ask('POST /api/kinds', { name: `Kind ${n}` })).status).toBe(201)
    expect(await inv.ask('POST /api/kinds', { name: 'One more' })).toMatchObject(failure(409, 'LIMIT_REACHED'))
  })

  test('the API document has the ids of kinds, and the fields of each', async () => {
    const { body: before } = await inv.ask('GET /api/openapi.json')
    const schemas = (body: unknown) => (body as { components: { schemas: Record<string, unknown> } }).components.schemas
    expect(JSON.stringify(schemas(before).Object)).toContain('"kind-99"')
    await inv.ask('DELETE /api/kinds/kind-99')
    const field = { resource: 'kind-1', name: 'speed', type: 'integer' }
    await inv.ask('POST /api/custom-fields', field)
    const { Object: described } = schemas((await inv.ask('GET /api/openapi.json')).body) as Record<
      string,
      { properties: { kind_id: { enum: string[] }; custom: { anyOf: { title: string; properties: object }[] } } }
    >
    expect(described?.properties.kind_id.enum).toHaveLength(99)
    expect(described?.properties.custom.anyOf.find(({ title }) => title === 'kind-1')?.properties).toEqual({
      speed: { type: 'integer' },
    })
  })
})
