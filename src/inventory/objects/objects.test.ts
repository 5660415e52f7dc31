// The rules of the objects of kinds: names, the tree, places, and values of custom fields.
import { beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { alreadyExists, failure, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

type Made = { readonly id: string } & Readonly<Record<string, unknown>>

describe.each(engines())('objects on %s', (dialect) => {
  const inv = inventory(dialect)
  const post = async (path: string, body: object): Promise<Made> => {
    const answer = await inv.ask(`POST /api/${path}`, body)
    expect([answer.status, answer.body]).toEqual([201, answer.body])
    return answer.body as Made
  }
  const add = (name: string, more: object = {}) => post('objects', { kind_id: 'parts', name, ...more })
  const namesOf = async (query: string): Promise<unknown[]> =>
    ((await inv.ask(`GET /api/objects?${query}`)).body as Made[]).map(({ name }) => name)
  beforeAll(async () => {
    await post('kinds', {
      name: 'Parts',
      nested: true,
      fields: [{ name: 'maker', type: 'reference', reference_to: 'racks' }],
    })
    await post('kinds', { name: 'Sites', located: true, unique_names: false })
  })

  test('have names that are unique in any case where their kind says so', async () => {
    await add('Fan')
    expect(await inv.ask('POST /api/objects', { kind_id: 'parts', name: 'FAN' })).toMatchObject({
      ...alreadyExists,
      body: { details: [{ field: 'name', message: 'is the name of another part' }] },
    })
    const two = [
      await post('objects', { kind_id: 'sites', name: 'same' }),
      await post('objects', { kind_id: 'sites', name: 'Same' }),
    ]
    expect(await inv.ask(`PUT /api/objects/${two[1]?.id}`, { name: 'SAME' })).toMatchObject({ status: 200 })
  })

  test('of one name are made by one of several callers at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => inv.ask('POST /api/objects', { kind_id: 'parts', name: 'Raced' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
    expect(await namesOf('kind_id=parts&name=raced')).toEqual(['Raced'])
  })

  test('are not made of a kind that goes at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      await post('kinds', { id: 'passing', name: 'Passing' })
      const [made, gone] = await Promise.all([
        inv.ask('POST /api/objects', { kind_id: 'passing', name: 'x' }),
        inv.ask('DELETE /api/kinds/passing'),
      ])
      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual([made.status, gone.status])
      if (made.status === 201) await inv.ask(`DELETE /api/objects/${(made.body as Made).id}`)
      if (gone.status === 409) await inv.ask('DELETE /api/kinds/passing')
    }
  })

  test('stand below others of their kind, and within an object are all below it', async () => {
    const top = await add('Chassis')
    const card = await add('Card', { parent_id: top.id })
    const port = await add('Port', { parent_id: card.id })
    expect(await namesOf(`within=${top.id}`)).toEqual(['Card', 'Chassis', 'Port'])
    expect(await namesOf(`parent_id=${top.id}`)).toEqual(['Card'])
    expect(await namesOf('kind_id=parts&parent_id=')).not.toContain('Card')
    const move = (id: string, parent_id: string) => inv.ask(`PUT /api/objects/${id}`, { parent_id })
    const other = await post('objects', { kind_id: 'sites', name: 'a site' })
    for (const [id, parent] of [
      [top.id, top.id],
      [top.id, port.id],
      [card.id, other.id],
      [card.id, 'unknown'],
      [other.id, other.id],
    ] as const)
      expect(await move(id, parent)).toMatchObject(refusal('parent_id'))
    await inv.ask(`DELETE /api/objects/${card.id}`)
    expect((await inv.ask(`GET /api/objects/${port.id}`)).body).toMatchObject({ parent_id: top.id })
  })

  test('have at most 20 levels', async () => {
    let parent_id: string | null = null
    for (let level = 1; level <= 20; level++) parent_id = (await add(`level ${level}`, { parent_id })).id
    expect(await inv.ask('POST /api/objects', { kind_id: 'parts', name: 'level 21', parent_id })).toMatchObject(
      refusal('parent_id'),
    )
  })

  test('never change their kind, and have only what it allows', async () => {
    const one = await post('objects', { kind_id: 'sites', name: 'fixed' })
    const { id: place } = await post('datacenters', { name: 'AMS1' })
    expect(await inv.ask(`PUT /api/objects/${one.id}`, { kind_id: 'parts' })).toMatchObject(refusal('kind_id'))
    expect(await inv.ask('POST /api/objects', { kind_id: 'nothing', name: 'x' })).toMatchObject(refusal('kind_id'))
    const located = { kind_id: 'parts', name: 'located', datacenter_id: place }
    expect(await inv.ask('POST /api/objects', located)).toMatchObject(refusal('datacenter_id'))
    const foreign = { kind_id: 'sites', name: 'x', custom: { maker: 'y' } }
    expect(await inv.ask('POST /api/objects', foreign)).toMatchObject(refusal('custom.maker'))
  })

  test('lose a place that is deleted, and are found by the places above theirs', async () => {
    const region = await post('datacenters', { name: 'Europe' })
    const place = await post('datacenters', { name: 'Paris', parent_id: region.id })
    const one = await post('objects', { kind_id: 'sites', name: 'in Paris', datacenter_id: place.id })
    expect(await namesOf(`datacenter_id=${region.id}`)).toEqual(['in Paris'])
    await inv.ask(`DELETE /api/datacenters/${place.id}`)
    expect((await inv.ask(`GET /api/objects/${one.id}`)).body).toMatchObject({ datacenter_id: null })
  })

  test('are named by values of others, which lose a deleted one', async () => {
    await inv.ask('POST /api/custom-fields', {
      ...{ resource: 'racks', name: 'spares', type: 'reference', reference_to: 'parts', multiple: true },
    })
    const [one, two] = [await add('spare 1'), await add('spare 2')]
    const site = await post('objects', { kind_id: 'sites', name: 'no part' })
    const wrong = { name: 'R1', custom: { spares: [site.id] } }
    expect(await inv.ask('POST /api/racks', wrong)).toMatchObject(refusal('custom.spares'))
    const rack = await post('racks', { name: 'R1', custom: { spares: [one.id, two.id] } })
    await inv.ask(`DELETE /api/objects/${one.id}`)
    expect((await inv.ask(`GET /api/racks/${rack.id}`)).body).toMatchObject({ custom: { spares: [two.id] } })
    await inv.ask(`DELETE /api/objects/${two.id}`)
    expect((await inv.ask(`GET /api/racks/${rack.id}`)).body).not.toHaveProperty('custom')
  })

  test('are listed by their values only with their kind, and an unknown kind has none', async () => {
    expect(await inv.ask('GET /api/objects?custom.maker=x')).toMatchObject(refusal('kind_id'))
    expect(await inv.ask('GET /api/objects?sort=custom.maker')).toMatchObject(refusal('kind_id'))
    expect((await inv.ask('GET /api/objects?kind_id=unknown')).body).toEqual([])
  })

  test('are named with their kind in the history', async () => {
    const one = await add('recorded')
    const [change] = (await inv.ask('GET /api/history?limit=1')).body as Made[]
    const item = { kind: 'object', kind_id: 'parts', id: one.id, name: 'recorded', change: 'create' }
    expect(change).toMatchObject({ operation: 'objects.create', objects: [item] })
    expect((await inv.ask(`GET /api/history/${change?.id}/items`)).body).toMatchObject([item])
    expect((await inv.ask(`GET /api/objects/${one.id}/history`)).body).toMatchObject([item])
  })

  test('are changed by one bulk call, whole or each apart', async () => {
    const one = await add('bulk 1')
    const operations = [
      { op: 'create', object: { kind_id: 'parts', name: 'bulk 2' } },
      { op: 'update', id: one.id, object: { description: 'changed' } },
      { op: 'create', object: { kind_id: 'parts', name: 'BULK 2' } },
    ]
    const whole = await inv.ask('POST /api/objects/bulk', { operations })
    expect(whole).toMatchObject(refusal('operations[2].object.name'))
    const apart = await inv.ask('POST /api/objects/bulk', { operations, atomic: false })
    expect(apart.body).toMatchObject({ succeeded: 2, failed: 1 })
    expect(await namesOf('kind_id=parts&name=bulk')).toEqual(['bulk 1', 'bulk 2'])
    expect(await inv.ask('POST /api/objects/bulk', { operations: [] })).toMatchObject(failure(400, 'VALIDATION_ERROR'))
  })
})

describe.each(engines())('an object on %s', (dialect) => {
  const inv = inventory(dialect)

  test('moves with more objects below it than a query takes parameters', async () => {
    const make = async (path: string, body: object) => (await inv.ask(`POST /api/${path}`, body)).body as Made
    await make('kinds', { name: 'Parts', nested: true })
    const [top, above] = [
      await make('objects', { kind_id: 'parts', name: 'top' }),
      await make('objects', { kind_id: 'parts', name: 'above' }),
    ]
    await inv.app.db.write(({ db }) =>
      sql`INSERT INTO objects (id, kind_id, name, name_key, name_order, parent_id, description, refs, managed_by, created_at, updated_at)
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 70000)
        SELECT CAST('below-' || n AS TEXT), 'parts', 'x', 'x', 'x', ${top.id}, '', '{}', '', ${inv.now()}, ${inv.now()} FROM n`.execute(
        db,
      ),
    )
    expect(await inv.ask(`PUT /api/objects/${top.id}`, { parent_id: above.id })).toMatchObject({ status: 200 })
    expect(await inv.ask(`PUT /api/objects/${above.id}`, { parent_id: top.id })).toMatchObject(refusal('parent_id'))
  })
})
