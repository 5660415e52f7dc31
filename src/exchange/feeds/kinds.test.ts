// The objects of kinds in the templates of feeds: which kinds a template gets, their names and references, the ETag, and rights.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type People, type Person, people } from '../../../testing/estates/people.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { findNamedKinds } from './kinds.ts'

describe('a template', () => {
  test.each([
    ['{{ devices.size }} of all kinds', []],
    ['{% assign x = 1 %}{{ feed.kinds }} {{ my_kinds.x }} {{ x-kinds }}', []],
    ['{% for c in kinds.circuits -%}{{ c.name }}{% endfor %}', ['circuits']],
    [
      '{{- kinds.circuits.size-}} {{kinds["as-numbers"]|size}} {%- for k in kinds[\'racks\'] %}{% endfor %}',
      ['circuits', 'as-numbers', 'racks'],
    ],
    ['{% for one in\nkinds . circuits %}{% endfor %}{{ kinds.circuits-}}', ['circuits']],
    ['{% for pair in kinds %}{{ pair[0] }}{% endfor %}', 'all'],
    ['{% assign k = "circuits" %}{{ kinds[k] | size }}', 'all'],
  ])('%j names the kinds %j', (template, kinds) => {
    expect(findNamedKinds(template)).toEqual(kinds as string[])
  })
})

describe.each(engines())('kinds in feeds on %s', (dialect) => {
  const all: People = people(dialect)
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return (answer.body as { id: string }).id
  }
  const preview = async (template: string, who: Person = all.admin): Promise<unknown> => {
    const { status, body } = await who.ask('POST /api/feeds/preview', { format: 'template', template })
    expect([status, body]).toEqual([200, body])
    return (body as { content: string }).content
  }
  let site = ''
  let tenant = ''
  let circuit = ''
  let device = ''

  beforeAll(async () => {
    site = await post('datacenters', { name: 'Amsterdam' })
    device = await post('devices', { name: 'router' })
    await post('kinds', { name: 'Tenants', nested: true, located: true })
    await post('kinds', { name: 'AS numbers' })
    await post('kinds', { name: 'Constructor', id: 'constructor' })
    await post('kinds', {
      name: 'Circuits',
      fields: [
        { name: 'rate', type: 'integer' },
        { name: 'tenant', type: 'reference', reference_to: 'tenants' },
        { name: 'ends', type: 'reference', reference_to: 'devices', multiple: true },
      ],
    })
    const parent = await post('objects', { kind_id: 'tenants', name: 'Holding' })
    tenant = await post('objects', { kind_id: 'tenants', name: 'Acme', parent_id: parent, datacenter_id: site })
    const custom = { rate: 10, tenant, ends: [device] }
    circuit = await post('objects', { kind_id: 'circuits', name: 'CID-10', description: 'ten', custom })
    await post('objects', { kind_id: 'circuits', name: 'CID-9' })
  }, 60_000)

  test('an object is as in the API, with names of its parent and its datacenter, and references with a name', async () => {
    const objects = JSON.parse(String(await preview('{{ kinds.circuits | json }}'))) as object[]
    const { body } = await all.admin.ask('GET /api/objects?kind_id=circuits')
    const [second, first] = body as { name: string; custom: object }[]
    expect(objects).toEqual([
      { ...second, parent: null, datacenter: null, custom: {} },
      {
        ...first,
        ...{ parent: null, datacenter: null },
        custom: { rate: 10, tenant: { id: tenant, name: 'Acme' }, ends: [{ id: device, name: 'router' }] },
      },
    ])
    const template = '{% for t in kinds.tenants %}{{ t.name }} {{ t.parent }} {{ t.datacenter }};{% endfor %}'
    expect(await preview(template)).toBe('Acme Holding Amsterdam;Holding  ;')
  })

  test('a kind with a hyphen is read by brackets, and a kind without objects is an empty list', async () => {
    await post('objects', { kind_id: 'as-numbers', name: 'AS64500' })
    expect(await preview('{{ kinds["as-numbers"][0].name }}')).toBe('AS64500')
    expect(await preview('{{ kinds.constructor.size }} {{ kinds.unknown.size }}')).toBe('0 ')
  })

  test('a template that names no kind gets none, and one that names all gets each of them', async () => {
    expect(await preview('{{ devices.size }} {{ feed.kinds }}')).toBe('1 ')
    expect(await preview('{% for pair in kinds %}{{ pair[0] }} {{ pair[1].size }};{% endfor %}')).toBe(
      'as-numbers 1;circuits 2;constructor 0;tenants 2;',
    )
  })

  test('more objects than are read together are all there, in the order of their names', async () => {
    await post('kinds', { name: 'Many' })
    const numbers = Array.from({ length: 2100 }, (_, n) => n)
    for (const from of [0, 700, 1400]) {
      const some = numbers.slice(from, from + 700)
      const operations = some.map((n) => ({ op: 'create', object: { kind_id: 'many', name: `n ${(n * 11) % 2100}` } }))
      expect((await all.admin.ask('POST /api/objects/bulk', { operations })).status).toBe(200)
    }
    const text = String(await preview('{% for one in kinds.many %}{{ one.name }},{% endfor %}'))
    expect(text.split(',').slice(0, -1)).toEqual(numbers.map((n) => `n ${n}`))
  })

  test('the ETag of a feed follows its objects and the names that it shows', async () => {
    const template = '{% for c in kinds.circuits %}{{ c.name }} {{ c.custom.tenant.name }};{% endfor %}'
    const id = await post('feeds', { name: 'circuits', format: 'template', template })
    const path = `GET /api/feeds/${id}/content`
    const key = (await all.admin.ask('POST /api/keys', { name: 'feed', feed_id: id })).body as { key: string }
    const read = async (etag = '') => {
      const response = await all.app.send(path, { key: key.key, headers: { 'If-None-Match': etag } })
      return { status: response.status, text: await response.text(), etag: response.headers.get('etag') ?? '' }
    }
    const first = await read()
    expect(first).toMatchObject({ status: 200, text: 'CID-9 ;CID-10 Acme;' })
    expect((await read(first.etag)).status).toBe(304)
    // Another value of an object changes nothing that the template shows.
    await all.admin.ask(`PUT /api/objects/${circuit}`, { description: 'other' })
    expect((await read(first.etag)).status).toBe(304)
    await all.admin.ask(`PUT /api/objects/${tenant}`, { name: 'Acme 2' })
    const renamed = await read(first.etag)
    expect(renamed).toMatchObject({ status: 200, text: 'CID-9 ;CID-10 Acme 2;' })
    await all.admin.ask(`PUT /api/objects/${circuit}`, { custom: { tenant: null } })
    expect(await read(renamed.etag)).toMatchObject({ status: 200, text: 'CID-9 ;CID-10 ;' })
    await all.admin.ask(`PUT /api/objects/${circuit}`, { custom: { tenant } })
    await all.admin.ask(`PUT /api/objects/${tenant}`, { name: 'Acme' })
  })

  test('a caller sees the objects and the names that it may list, each with its own ETag', async () => {
    const template =
      '{% for c in kinds.circuits %}{{ c.name }} {{ c.custom.tenant.name }} {{ c.custom.ends[0].name }};{% endfor %}'
    const id = await post('feeds', { name: 'of rights', format: 'template', template })
    const path = `GET /api/feeds/${id}/content`
    const base = ['feeds:read', 'devices:list']
    const without = await all.person({ permissions: base })
    const scoped = await all.person({ permissions: base })
    const scope_id = await post('scopes', { name: 'only circuits', kind_ids: ['circuits'] })
    const role = await all.role('objects:list')
    await all.admin.ask('POST /api/grants', { role_id: role.id, user_id: scoped.id, scope_id })
    const read = async ({ key }: Person, etag = '') => {
      const response = await all.app.send(path, { key, headers: { 'If-None-Match': etag } })
      return { status: response.status, text: await response.text(), etag: response.headers.get('etag') ?? '' }
    }
    const whole = await read(all.admin)
    expect(whole.text).toBe('CID-9  ;CID-10 Acme router;')
    // It may list devices, and no tenant.
    const part = await read(scoped, whole.etag)
    expect(part).toMatchObject({ status: 200, text: 'CID-9  ;CID-10  router;' })
    expect(await read(without, part.etag)).toMatchObject({ status: 200, text: '' })
    expect((await read(all.admin, whole.etag)).status).toBe(304)
    expect((await read(scoped, part.etag)).status).toBe(304)
  })
})

describe.each(onSqlite())('too many objects for a template on %s', (dialect) => {
  const all: People = people(dialect)

  test('a template that names more than 100,000 objects is an error, and one that names fewer is not', async () => {
    for (const name of ['Few', 'Many']) await all.admin.ask('POST /api/kinds', { name })
    await all.admin.ask('POST /api/objects', { kind_id: 'few', name: 'one' })
    await all.app.db.write(async ({ db }) => {
      const numbers = Array.from({ length: 100_001 }, (_, n) => String(n))
      for (const batch of splitBatches(numbers))
        await db
          .insertInto('objects')
          .values(
            batch.map((id) => ({
              ...{ id, kind_id: 'many', name: id, name_key: id, name_order: id, parent_id: null, datacenter_id: null },
              ...{ description: '', custom: null, refs: '{}', managed_by: '', created_at: '', updated_at: '', area: 0 },
            })),
          )
          .execute()
    })
    const ask = (template: string) => all.admin.ask('POST /api/feeds/preview', { format: 'template', template })
    expect(await ask('{{ kinds.few.size }}')).toMatchObject({ status: 200, body: { content: '1' } })
    const refused = await ask('{{ kinds.few.size }}{{ kinds.many.size }}')
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'template' }] } })
    expect(JSON.stringify(refused.body)).toContain('names kinds with 100002 objects')
  }, 60_000)
})
