// The definitions of custom fields: which are accepted, and how their changes affect the values of objects.
import { describe, expect, test } from 'bun:test'
import {
  alreadyExists,
  changedSince,
  failure,
  fieldsOf,
  inventory,
  missing,
} from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { toJsonSchema } from '../../contract/json-schema.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import { customFields } from './api.ts'

const inUse = failure(409, 'IN_USE')

describe.each(onSqlite())('custom fields on %s', (dialect) => {
  const inv = inventory(dialect)
  const define = (body: object) => inv.ask('POST /api/custom-fields', { resource: 'devices', type: 'text', ...body })
  const made = async (body: object): Promise<CustomField> => {
    const answer = await define(body)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body as CustomField
  }
  const change = (id: string, body: object) => inv.ask(`PUT /api/custom-fields/${id}`, body)
  const device = async (name: string, custom?: object) =>
    (await inv.ask('POST /api/devices', { name, ...(custom && { custom }) })).body as {
      readonly id: string
      readonly updated_at: string
      readonly custom?: object
    }
  const customOf = async (id: string) => ((await inv.ask(`GET /api/devices/${id}`)).body as { custom?: object }).custom

  test('are created, read, changed and deleted, with all fields', async () => {
    const answer = await define({
      ...{ id: 'cf-crud', name: 'tier', type: 'choice', label: 'Tier', multiple: true, choices: [' a ', 'b', 'a'] },
      ...{ required: false, searchable: true, default: 'a;b', description: 'Help', group: 'Ops', position: 3 },
      ...{ refs: { netbox: 'extras.customfield.1' }, managed_by: 'git' },
    })
    const times = { created_at: inv.now(), updated_at: inv.now() }
    const stored = {
      ...{ id: 'cf-crud', resource: 'devices', name: 'tier', label: 'Tier', type: 'choice', multiple: true },
      ...{ choices: ['a', 'b'], reference_to: null, required: false, unique: false, default: ['a', 'b'], pattern: '' },
      ...{ minimum: null, maximum: null, searchable: true, description: 'Help', group: 'Ops', position: 3 },
      ...{ refs: { netbox: 'extras.customfield.1' }, managed_by: 'git', ...times },
    }
    expect({ status: answer.status, text: JSON.stringify(answer.body) }).toEqual({
      status: 201,
      text: JSON.stringify(stored),
    })
    expect((await inv.ask('GET /api/custom-fields/netbox:extras.customfield.1')).body).toEqual(stored)
    inv.advance(1000)
    const after = { ...stored, label: 'tier', default: null, updated_at: inv.now() }
    expect(await change('cf-crud', { label: null, default: null })).toMatchObject({ status: 200, body: after })
    expect(
      await inv.ask('PUT /api/custom-fields/cf-crud', { label: 'x' }, { 'If-Match': answer.etag ?? '' }),
    ).toMatchObject(changedSince)
    expect(await define({ id: 'cf-crud', name: 'other' })).toMatchObject(alreadyExists)
    expect(await define({ name: 'tier' })).toMatchObject(alreadyExists)
    expect((await inv.ask('DELETE /api/custom-fields/cf-crud')).status).toBe(204)
    expect(await inv.ask('GET /api/custom-fields/cf-crud')).toMatchObject(missing)
  })

  const BAD = [
    [{ name: 'Upper' }, 'name'],
    [{ name: '1a' }, 'name'],
    [{ name: 'a'.repeat(51) }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x', resource: 'users' }, 'resource'],
    [{ name: 'x', type: 'json' }, 'type'],
    [{ name: 'x', type: null }, 'type'],
    [{ name: 'x', type: 'choice' }, 'choices'],
    [{ name: 'x', type: 'choice', choices: [] }, 'choices'],
    [{ name: 'x', type: 'choice', choices: ['a', ' '] }, 'choices[1]'],
    [{ name: 'x', type: 'choice', choices: ['a'.repeat(129)] }, 'choices[0]'],
    [{ name: 'x', type: 'choice', choices: Array.from({ length: 501 }, (_, i) => `${i}`) }, 'choices'],
    [{ name: 'x', type: 'choice', choices: ['a', 'A'] }, 'choices'],
    [{ name: 'x', choices: ['a'] }, 'choices'],
    [{ name: 'x', multiple: true }, 'multiple'],
    [{ name: 'x', type: 'integer', multiple: true }, 'multiple'],
    [{ name: 'x', type: 'reference' }, 'reference_to'],
    [{ name: 'x', type: 'reference', reference_to: 'addresses' }, 'reference_to'],
    [{ name: 'x', reference_to: 'devices' }, 'reference_to'],
    [{ name: 'x', pattern: '(' }, 'pattern'],
    [{ name: 'x', pattern: '(?=a)' }, 'pattern'],
    [{ name: 'x', pattern: '(a)\\1' }, 'pattern'],
    [{ name: 'x', pattern: 'a'.repeat(257) }, 'pattern'],
    [{ name: 'x', type: 'url', pattern: 'a' }, 'pattern'],
    [{ name: 'x', type: 'integer', minimum: 2, maximum: 1 }, 'minimum'],
    [{ name: 'x', type: 'integer', minimum: 1.5 }, 'minimum'],
    [{ name: 'x', type: 'integer', maximum: 2 ** 60 }, 'maximum'],
    [{ name: 'x', minimum: 1 }, 'minimum'],
    [{ name: 'x', type: 'date', maximum: 1 }, 'maximum'],
    [{ name: 'x', type: 'integer', searchable: true }, 'searchable'],
    [{ name: 'x', type: 'ip', searchable: true }, 'searchable'],
    [{ name: 'x', type: 'ip', pattern: 'a' }, 'pattern'],
    [{ name: 'x', type: 'ip', minimum: 1 }, 'minimum'],
    [{ name: 'x', type: 'ip', multiple: true, unique: true }, 'unique'],
    [{ name: 'x', type: 'ip', default: '10.0.0' }, 'default'],
    [{ name: 'x', type: 'boolean', unique: true }, 'unique'],
    [{ name: 'x', type: 'choice', choices: ['a'], multiple: true, unique: true }, 'unique'],
    [{ name: 'x', unique: true, default: 'a' }, 'unique'],
    [{ name: 'x', resource: 'addresses', unique: true }, 'unique'],
    [{ name: 'x', type: 'integer', default: 'many' }, 'default'],
    [{ name: 'x', type: 'integer', minimum: 5, default: 4 }, 'default'],
    [{ name: 'x', type: 'choice', choices: ['a'], default: 'b' }, 'default'],
    [{ name: 'x', pattern: 'a+', default: 'ab' }, 'default'],
    [{ name: 'x', type: 'reference', reference_to: 'datacenters', default: 'none' }, 'default'],
    [{ name: 'x', position: 1.5 }, 'position'],
  ] as const

  test('are refused with the field that is bad', async () => {
    for (const [body, field] of BAD)
      expect({ body, fields: fieldsOf(await define(body)) }).toEqual({ body, fields: [field] })
  })

  test('are listed of a kind that does not exist, as the document says, and of no other text', async () => {
    const list = (resource: string) => inv.ask(`GET /api/custom-fields?resource=${encodeURIComponent(resource)}`)
    expect(await list('circuits')).toMatchObject({ status: 200, body: [] })
    expect(await list('No Kind')).toMatchObject({ status: 400, body: { details: [{ field: 'resource' }] } })
    const schema = toJsonSchema(customFields.list.input, 'input').schema.properties?.resource
    expect(schema).toMatchObject({ type: 'string', pattern: '^[a-z][a-z0-9-]{0,49}$' })
    expect(schema).not.toHaveProperty('enum')
  })

  test('are listed by resource, group, position and name, with what is in use', async () => {
    const of = (resource: string, name: string, more = {}) => made({ resource, name, ...more })
    await of('vlans', 'l_b', { group: 'zeta' })
    await of('vlans', 'l_a', { group: 'Alpha', position: 2 })
    await of('vlans', 'l_c', { group: 'Alpha', position: 1 })
    await of('vlans', 'l_d', { group: 'Alpha', position: 1 })
    await of('pools', 'l_e')
    const used = await of('devices', 'l_used')
    await device('uses', { l_used: 'x' })
    await device('uses too', { l_used: 'y' })
    const listed = await inv.ask('GET /api/custom-fields?resource=vlans')
    expect((listed.body as CustomField[]).map(({ name }) => name)).toEqual(['l_c', 'l_d', 'l_a', 'l_b'])
    const all = (await inv.ask('GET /api/custom-fields?include=usage')).body as CustomField[]
    const mine = all.filter(({ name }) => name.startsWith('l_')).map(({ name, objects }) => [name, objects])
    expect(mine).toEqual([
      ['l_used', 2],
      ['l_e', 0],
      ['l_c', 0],
      ['l_d', 0],
      ['l_a', 0],
      ['l_b', 0],
    ])
    await inv.ask(`DELETE /api/custom-fields/${used.id}?force=true`)
  })

  test('keep their type while an object has a value', async () => {
    const { id } = await made({ name: 'fixed' })
    const { id: owner } = await device('has one', { fixed: '7' })
    for (const [body, field] of [
      [{ type: 'integer' }, 'type'],
      [{ resource: 'networks' }, 'resource'],
      [{ type: 'reference', reference_to: 'devices' }, 'type'],
    ] as const)
      expect(fieldsOf(await change(id, body))).toContain(field)
    await inv.ask(`PUT /api/devices/${owner}`, { custom: { fixed: null } })
    expect((await change(id, { type: 'integer' })).body).toMatchObject({ type: 'integer' })
    expect((await device('number', { fixed: '7' })).custom).toEqual({ fixed: 7 })
  })

  test('keep choices that objects have', async () => {
    const { id } = await made({ name: 'kept', type: 'choice', choices: ['a', 'b', 'c'], multiple: true })
    await device('two', { kept: ['a', 'c'] })
    const refused = await change(id, { choices: ['b', 'c'] })
    expect(fieldsOf(refused)).toEqual(['choices'])
    expect(JSON.stringify(refused.body)).toContain('lacks \\"a\\", the value of 1 object')
    expect((await change(id, { choices: ['a', 'c', 'd'] })).status).toBe(200)
  })

  test('become unique unless two objects share a value, in any case', async () => {
    const { id } = await made({ name: 'serial' })
    const one = await device('s1', { serial: 'ABC' })
    const long = 'x'.repeat(250)
    await device('s2', { serial: `${long}1` })
    await device('s3', { serial: `${long}2` })
    const two = await device('s4', { serial: 'abc' })
    const refused = await change(id, { unique: true })
    expect(fieldsOf(refused)).toEqual(['unique'])
    expect(JSON.stringify(refused.body).toLowerCase()).toContain('\\"abc\\"')
    await inv.ask(`PUT /api/devices/${two.id}`, { custom: { serial: '' } })
    expect((await change(id, { unique: true })).status).toBe(200)
    const taken = await inv.ask('POST /api/devices', { name: 's5', custom: { serial: 'aBc' } })
    expect(taken).toMatchObject({ ...alreadyExists, body: { details: [{ field: 'custom.serial' }] } })
    expect((await inv.ask(`PUT /api/devices/${one.id}`, { custom: { serial: 'abC' } })).status).toBe(200)
    expect((await inv.ask('POST /api/devices', { name: 's6', custom: { serial: `${long}3` } })).status).toBe(201)
    expect(
      await inv.ask('POST /api/devices', { name: 's7', custom: { serial: `${long}3`.toUpperCase() } }),
    ).toMatchObject(alreadyExists)
  })

  test('rename the values of all objects, which is a change of each object with a value', async () => {
    const { id } = await made({ name: 'old_name' })
    const { id: hook } = await inv.api.webhooks.create({
      name: 'rename',
      url: 'http://h.invalid/',
      events: ['device.updated'],
    })
    await made({ name: 'beside', type: 'integer' })
    const all = [
      await device('r1', { old_name: 'A', beside: 1 }),
      await device('r2', { old_name: 'b' }),
      await device('r3'),
    ]
    inv.advance(1000)
    expect((await change(id, { name: 'new_name' })).body).toMatchObject({ name: 'new_name', updated_at: inv.now() })
    const now = await Promise.all(all.map(async (one) => (await inv.ask(`GET /api/devices/${one.id}`)).body))
    expect(now).toEqual([
      { ...all[0], custom: { beside: 1, new_name: 'A' }, updated_at: inv.now() },
      { ...all[1], custom: { new_name: 'b' }, updated_at: inv.now() },
      all[2],
    ])
    expect((await inv.api.webhooks.deliveries({ id: hook })).length).toBe(2)
    expect(((await inv.ask('GET /api/devices?custom.new_name=a')).body as object[]).length).toBe(1)
    expect(fieldsOf(await inv.ask('GET /api/devices?custom.old_name=a'))).toEqual(['custom.old_name'])
    expect(fieldsOf(await inv.ask('POST /api/devices', { name: 'r4', custom: { old_name: 'c' } }))).toEqual([
      'custom.old_name',
    ])
  })

  test('fields with values are only deleted by force, and an undo restores them', async () => {
    const { id } = await made({ name: 'doomed', searchable: true })
    const one = await device('d1', { doomed: 'findable-value' })
    expect(await inv.ask(`DELETE /api/custom-fields/${id}`)).toMatchObject(inUse)
    expect(((await inv.ask('GET /api/devices/search?q=findable-value')).body as object[]).length).toBe(1)
    const gone = await inv.admin.request('DELETE', `/api/custom-fields/${id}?force=true`)
    expect(gone.status).toBe(204)
    expect(await customOf(one.id)).toBeUndefined()
    expect((await inv.ask('GET /api/devices/search?q=findable-value')).body).toEqual([])
    await inv.api.history.undo({ id: gone.headers.get('x-change-id') ?? '' })
    expect(await customOf(one.id)).toEqual({ doomed: 'findable-value' })
    expect(((await inv.ask('GET /api/devices?custom.doomed=findable-value')).body as object[]).length).toBe(1)
  })

  test('fields of a reference lose the values of deleted objects', async () => {
    const dc = await inv.api.datacenters.create({ name: 'Referred' })
    const space = await inv.api.spaces.create({ name: 'Referred' })
    const net = await inv.api.networks.create({ name: 'Referred', subnet: '10.77.0.0/24' })
    await made({ name: 'site', type: 'reference', reference_to: 'datacenters', default: dc.id })
    await made({ name: 'vrf', type: 'reference', reference_to: 'spaces' })
    await made({ name: 'nets', type: 'reference', reference_to: 'networks', multiple: true })
    await made({ name: 'peers', type: 'reference', reference_to: 'devices', multiple: true })
    await made({ resource: 'addresses', name: 'nat', type: 'reference', reference_to: 'devices' })
    const [a, b] = [await device('a'), await device('b')]
    const answer = await inv.ask('POST /api/devices', {
      ...{ name: 'refers', custom: { vrf: space.id, nets: net.id, peers: [a.id, b.id, a.id] } },
      addresses: [{ ip: '10.78.0.1' }, { ip: '10.78.0.2', custom: { nat: a.id } }],
    })
    const { id } = answer.body as { id: string }
    expect(await customOf(id)).toEqual({ site: dc.id, vrf: space.id, nets: [net.id], peers: [a.id, b.id] })
    const bad = await inv.ask('POST /api/devices', {
      ...{ name: 'bad', custom: { vrf: 'none', peers: ['none'] } },
      addresses: [{ ip: '10.78.0.3', custom: { nat: 'none' } }],
    })
    expect(fieldsOf(bad).sort()).toEqual(['addresses[0].custom.nat', 'custom.peers', 'custom.vrf'])
    await inv.api.devices.delete({ id: a.id })
    expect(await customOf(id)).toEqual({ site: dc.id, vrf: space.id, nets: [net.id], peers: [b.id] })
    const { addresses } = (await inv.ask(`GET /api/devices/${id}`)).body as { addresses: { custom?: object }[] }
    expect(addresses.map(({ custom }) => custom)).toEqual([undefined, undefined])
    await inv.api.spaces.delete({ id: space.id })
    await inv.api.networks.delete({ id: net.id })
    await inv.api.datacenters.delete({ id: dc.id })
    expect(await customOf(id)).toEqual({ peers: [b.id] })
    expect((await device('after')).custom).toBeUndefined()
    for (const name of ['site', 'vrf', 'nets', 'nat']) {
      const all = (await inv.ask('GET /api/custom-fields?include=usage')).body as CustomField[]
      expect(all.find((field) => field.name === name)).toMatchObject({ objects: 0 })
    }
  })

  test('are at most 200 for one resource', async () => {
    for (let i = 0; i < 200; i++) expect((await define({ resource: 'cables', name: `f${i}` })).status).toBe(201)
    expect(await define({ resource: 'cables', name: 'more' })).toMatchObject(failure(409, 'LIMIT_REACHED'))
  })

  test('send events, and have a history, a past and an undo', async () => {
    const { id: hook } = await inv.api.webhooks.create({
      ...{ name: 'all', url: 'http://h.invalid/' },
      events: ['custom_field.created', 'custom_field.updated', 'custom_field.deleted', 'device.updated'],
    })
    const first = await inv.admin.request('POST', '/api/custom-fields', {
      ...{ resource: 'devices', name: 'past', type: 'integer', default: 1, group: 'Ä', minimum: 0.0 },
    })
    const { id } = (await first.json()) as CustomField
    const thing = await device('thing')
    const moment = first.headers.get('x-change-id') ?? ''
    inv.advance(1000)
    const changed = await inv.admin.request('PUT', `/api/custom-fields/${id}`, { name: 'later', default: 2, group: '' })
    await inv.ask(`PUT /api/devices/${thing.id}`, { custom: { later: 5 }, os: 'x' })
    expect((await inv.ask(`GET /api/custom-fields/${id}?as_of=${moment}`)).body).toMatchObject({
      ...{ name: 'past', default: 1, group: 'Ä', minimum: 0, required: false },
    })
    const then = (await inv.ask(`GET /api/custom-fields?as_of=${moment}`)).body as CustomField[]
    expect(then.map(({ name }) => name)).toContain('past')
    await inv.api.history.undo({ id: changed.headers.get('x-change-id') ?? '' })
    expect((await inv.ask(`GET /api/custom-fields/${id}`)).body).toMatchObject({ name: 'past', default: 1, group: 'Ä' })
    expect(await customOf(thing.id)).toEqual({ past: 5 })
    const sent = await inv.api.webhooks.deliveries({ id: hook })
    expect(sent.map(({ event }) => event).reverse()).toEqual([
      ...['custom_field.created', 'custom_field.updated', 'device.updated'],
      ...['device.updated', 'custom_field.updated', 'device.updated'],
    ])
  })
})
