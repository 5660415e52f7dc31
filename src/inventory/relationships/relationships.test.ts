// Relationships: which devices may be related, the lists of both ends, and deletion.
import { describe, expect, test } from 'bun:test'
import {
  alreadyExists,
  ask,
  changedSince,
  failure,
  forbidden,
  inventory,
  missing,
  refusal,
} from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { type Relationship, RelationshipType } from './api.ts'

describe.each(onSqlite())('relationships on %s', (dialect) => {
  const inv = inventory(dialect)
  const device = async (name: string) => (await inv.api.devices.create({ name })).id
  const pair = async () => [await device('parent'), await device('child')] as const
  const post = (parent: string, body: unknown) => inv.ask(`POST /api/devices/${parent}/relationships`, body)
  const remove = (parent: string, child: string, type: string, headers?: Record<string, string>) =>
    inv.ask(`DELETE /api/devices/${parent}/relationships/${child}/${type}`, undefined, headers)
  const of = (device_id: string) => inv.api.relationships.list({ device_id })
  const related = async (device_id: string, type?: Relationship['type']) =>
    (await inv.api.relationships.related({ device_id, ...(type ? { type } : {}) })).map(({ name }) => name)

  test.each(RelationshipType.options)('of the type %s are made and listed', async (type) => {
    const [parent, child] = await pair()
    expect(await post(parent, { child_id: child, type })).toMatchObject({ status: 201, body: { status: 'created' } })
    expect(await of(parent)).toEqual([
      { parent_id: parent, child_id: child, type, notes: '', managed_by: '', created_at: inv.now() },
    ])
  })

  test('include the names of their devices on request', async () => {
    const [parent, child] = await pair()
    await post(parent, { child_id: child, type: 'contains' })
    const [link] = await inv.api.relationships.list({ device_id: parent, include: 'names' })
    expect([link?.parent_name, link?.child_name]).toEqual(['parent', 'child'])
  })

  test('answer POST with nothing but their status', async () => {
    const [parent, child] = await pair()
    expect((await post(parent, { child_id: child, type: 'contains' })).body).toEqual({ status: 'created' })
  })

  test('keep notes of at most 4,096 characters', async () => {
    const [parent, child] = await pair()
    const body = { child_id: child, type: 'contains' }
    expect(await post(parent, { ...body, notes: 'x'.repeat(4097) })).toMatchObject(refusal('notes'))
    await post(parent, { ...body, notes: 'x'.repeat(4096) })
    expect((await of(parent))[0]?.notes).toHaveLength(4096)
  })

  test('have a parent and a child that are there, and are two', async () => {
    const [parent, child] = await pair()
    expect(await post('nope', { child_id: child, type: 'contains' })).toMatchObject(missing)
    for (const child_id of ['nope', '', parent, 'a\u0000b', 7, null])
      expect(await post(parent, { child_id, type: 'contains' })).toMatchObject(refusal('child_id'))
    expect(await post(parent, { type: 'contains' })).toMatchObject(refusal('child_id'))
    expect(await of(parent)).toEqual([])
  })

  test('have one of three types', async () => {
    const [parent, child] = await pair()
    for (const type of ['owns', '', 'CONTAINS', 7, null, undefined])
      expect(await post(parent, { child_id: child, type })).toMatchObject(refusal('type'))
  })

  test('are made once each', async () => {
    const [parent, child] = await pair()
    await post(parent, { child_id: child, type: 'contains' })
    expect(await post(parent, { child_id: child, type: 'contains', notes: 'x' })).toMatchObject(alreadyExists)
    expect(await post(parent, { child_id: child, type: 'depends_on' })).toMatchObject({ status: 201 })
    expect(await post(child, { child_id: parent, type: 'contains' })).toMatchObject({ status: 201 })
    expect(await of(parent)).toHaveLength(3)
  })

  test('are made once by many at the same time', async () => {
    const [parent, child] = await pair()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(parent, { child_id: child, type: 'contains' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  })

  test('are listed for the parent and for the child, newest first', async () => {
    const [parent, child] = await pair()
    const third = await device('third')
    inv.advance(1000)
    await post(parent, { child_id: child, type: 'contains' })
    inv.advance(1000)
    await post(third, { child_id: child, type: 'connected_to' })
    const triples = (await of(child)).map(({ parent_id, child_id, type }) => [parent_id, child_id, type])
    expect(triples).toEqual([
      [third, child, 'connected_to'],
      [parent, child, 'contains'],
    ])
    expect(await of(parent)).toHaveLength(1)
    expect((await inv.api.relationships.all()).slice(0, 2)).toEqual(await of(child))
  })

  test('lead to the devices at the other end, once each, by name', async () => {
    const hub = await device('hub')
    const [a, b, c] = [await device('A'), await device('b'), await device('C')]
    await post(hub, { child_id: c, type: 'contains' })
    await post(hub, { child_id: b, type: 'contains' })
    await post(hub, { child_id: b, type: 'depends_on' })
    await post(b, { child_id: hub, type: 'contains' })
    await post(a, { child_id: hub, type: 'depends_on' })
    expect(await related(hub)).toEqual(['A', 'b', 'C'])
    expect(await related(hub, 'contains')).toEqual(['b', 'C'])
    expect(await related(hub, 'depends_on')).toEqual(['A', 'b'])
    expect(await related(hub, 'connected_to')).toEqual([])
    expect(await related(a)).toEqual(['hub'])
    const [first] = await inv.api.relationships.related({ device_id: hub })
    expect(first).toEqual(await inv.api.devices.get({ id: a }))
    expect(await inv.ask(`GET /api/devices/${hub}/related?type=owns`)).toMatchObject(refusal('type'))
  })

  test('are deleted by parent, child and type', async () => {
    const [parent, child] = await pair()
    await post(parent, { child_id: child, type: 'contains' })
    await post(parent, { child_id: child, type: 'depends_on' })
    for (const [p, c, t] of [
      [child, parent, 'contains'],
      [parent, child, 'connected_to'],
      [parent, 'nope', 'contains'],
      ['nope', child, 'contains'],
      [parent, child, 'owns'],
    ] as const)
      expect(await remove(p, c, t)).toMatchObject(missing)
    expect(await remove(parent, child, 'contains')).toMatchObject({ status: 204, body: undefined })
    expect(await remove(parent, child, 'contains')).toMatchObject(missing)
    expect((await of(parent)).map(({ type }) => type)).toEqual(['depends_on'])
  })

  test('are not deleted in a version that If-Match does not name', async () => {
    const [parent, child] = await pair()
    await post(parent, { child_id: child, type: 'contains' })
    expect(await remove(parent, child, 'contains', { 'If-Match': '"another"' })).toMatchObject(changedSince)
    expect(await of(parent)).toHaveLength(1)
    expect(await remove(parent, child, 'contains', { 'If-Match': '*' })).toMatchObject({ status: 204 })
  })

  test('end with either of their devices', async () => {
    const [parent, child] = await pair()
    await post(parent, { child_id: child, type: 'contains' })
    await inv.api.devices.delete({ id: child })
    expect(await of(parent)).toEqual([])
  })

  test('are read, made and deleted by permission', async () => {
    const [parent, child] = await pair()
    const path = `/api/devices/${parent}/relationships`
    const body = { child_id: child, type: 'contains' }
    const [viewer, operator] = [await inv.app.as('viewer'), await inv.app.as('operator')]
    expect(await ask(viewer, `POST ${path}`, body)).toMatchObject(forbidden)
    expect(await ask(operator, `POST ${path}`, body)).toMatchObject({ status: 201 })
    for (const one of [path, '/api/relationships', `/api/devices/${parent}/related`])
      expect(await ask(viewer, `GET ${one}`)).toMatchObject({ status: 200 })
    expect(await ask(operator, `DELETE ${path}/${child}/contains`)).toMatchObject(forbidden)
    expect(await ask({ request: inv.app.guest }, `GET ${path}`)).toMatchObject(failure(401, 'UNAUTHORIZED'))
  })
})
