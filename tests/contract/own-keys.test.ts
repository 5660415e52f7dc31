// Keys from outside that objects inherit: `constructor` and `__proto__` are names like any other, or errors that name them.
import { describe, expect, test } from 'bun:test'
import { getOwn, refuseProto } from '../../src/contract/own.ts'
import { hasRefs } from '../../src/resource/facts.ts'
import { buildTextChange } from '../../testing/estates/examples.ts'
import { inventory, inventoryWithWorld, refusal } from '../../testing/estates/inventory.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { operations } from '../../testing/estates/world.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

type App = Pick<ReturnType<typeof inventory>, 'app' | 'admin'>

/** Sends a body as it is. */
const postText = async ({ app, admin }: App, path: string, body: string) => {
  const response = await app.fetch(
    new Request(`http://plat.test${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${admin.key}`, 'Content-Type': 'application/json' },
      body,
    }),
  )
  return { status: response.status, text: await response.text() }
}

const PROTO_KEYS = ['{"__proto__":"x"}', '{"\\u005f_proto__":"x"}'] as const

describe.each(onSqlite())('the world on %s', (dialect) => {
  const { inv, world } = inventoryWithWorld(dialect)

  describe.each(KINDS.filter(({ facts }) => facts.custom))(
    'custom fields of $resource',
    ({ resource, facts, path }) => {
      const isFiltered = operations.some(({ http, input }) => http === `GET ${path}` && 'custom' in input.shape)
      /** A filter of objects of kinds needs their kind. */
      const getQuery = () => (facts.customBy === undefined ? '' : `${facts.customBy}=${world().ids.kinds}&`)
      const countAll = async () => (await inv.ask(`GET ${path}?limit=1`)).total

      test.each(['__proto__', '%5F_proto__', 'constructor', 'tostring', 'nothing', '__proto__.min'])(
        'refuse a filter by the unknown field %s by its name',
        async (name) => {
          const refused = await inv.ask(`GET ${path}?${getQuery()}custom.${name}=x`)
          expect(refused).toMatchObject(refusal(`custom.${decodeURIComponent(name)}`))
        },
      )

      test.each(PROTO_KEYS)('refuse the values %s', async (custom) => {
        const before = await countAll()
        const { path: to, body, whole } = world().examples.build(resource, 'required')
        const withCustom = (fields: object) => JSON.stringify(fields).replace(/\}$/, `,"custom":${custom}}`)
        const made = await postText(inv, to, withCustom(body))
        expect([made.status, made.text]).toEqual([400, expect.stringContaining('custom.__proto__')])
        const imported = await postText(inv, `/api/estate/import?resource=${resource}`, `[${withCustom(whole)}]`)
        expect(imported.text).toContain('custom.__proto__')
        expect(await countAll()).toBe(before)
      })

      test('may be called constructor, which objects lack unless they have it', async () => {
        const of = facts.customBy === undefined ? (facts.customOf ?? resource) : world().ids.kinds
        const field = { resource: of, name: 'constructor', type: 'text' }
        const { body } = await inv.ask('POST /api/custom-fields', field)
        const { path: to, body: fields } = world().examples.build(resource, 'required')
        const made = await inv.ask(`POST ${to}`, { ...fields, custom: { constructor: 'own' } })
        const { id } = made.body as { id: string }
        expect(made).toMatchObject({ status: 201, body: { custom: { constructor: 'own' } } })
        if (isFiltered)
          expect(await inv.ask(`GET ${path}?${getQuery()}custom.constructor=own`)).toMatchObject({
            total: '1',
            body: [{ id }],
          })
        const deleted = await inv.ask(`DELETE /api/custom-fields/${(body as { id: string }).id}?force=true`)
        expect(deleted.status).toBe(204)
        const { custom = {} } = (await inv.ask(`GET ${path}/${id}`)).body as { custom?: object }
        expect(Object.keys(custom)).not.toContain('constructor')
      })
    },
  )

  test.each(KINDS.filter(({ facts }) => hasRefs(facts)))(
    'constructor is a source of refs of $resource',
    async ({ resource, facts, path }) => {
      const { whole } = world().examples.build(resource)
      const at = `PUT ${path}/constructor:x1`
      const made = await inv.ask(at, { ...whole, refs: { other: 'y' } })
      expect(made).toMatchObject({ status: 201, body: { refs: { constructor: 'x1', other: 'y' } } })
      const { id } = made.body as { id: string }
      expect(await inv.ask(at, buildTextChange(facts))).toMatchObject({ status: 200, body: { id } })
    },
  )
})

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)
  const post = (path: string, body: string) => postText(inv, path, body)

  test.each(PROTO_KEYS)('values of custom fields %s of an address are refused', async (custom) => {
    const inside = await post('/api/devices', `{"name":"x","addresses":[{"ip":"10.0.0.1","custom":${custom}}]}`)
    expect([inside.status, inside.text]).toEqual([400, expect.stringContaining('addresses[0].custom.__proto__')])
    expect(await inv.api.devices.list({})).toEqual([])
  })

  test('the key is refused in a large body, which is parsed item by item', async () => {
    const device = JSON.stringify({ description: 'x'.repeat(4000) })
    const many = Array.from({ length: 100 }, () => `{"op":"create","device":${device}}`).join(',')
    const bad = '{"op":"create","device":{"name":"x","custom":{"__proto__":"x"}}}'
    const bulk = await post('/api/devices/bulk', `{"operations":[${many},${bad}]}`)
    expect([bulk.status, bulk.text]).toEqual([400, expect.stringContaining('operations[100].device.custom.__proto__')])
    const outside = await post('/api/devices/bulk', `{"__proto__":[],"operations":[${many}]}`)
    expect([outside.status, outside.text]).toEqual([400, expect.stringContaining('"field":"__proto__"')])
  })

  test('a text that holds the key is a text', async () => {
    const device = await inv.api.devices.create({ name: '__proto__', description: '{"__proto__": 1}' })
    expect(device).toMatchObject({ name: '__proto__', description: '{"__proto__": 1}' })
    await inv.api.devices.delete({ id: device.id })
  })

  test('the columns constructor and __proto__ of a spreadsheet are lines of the description', async () => {
    const response = await post(
      '/api/estate/convert?format=csv&resource=devices',
      'name,constructor,__proto__,toString\nweb,a,b,c\n',
    )
    expect(JSON.parse(response.text)).toMatchObject({
      documents: { devices: [{ name: 'web', description: 'constructor: a\n__proto__: b\ntoString: c' }] },
      report: { mapping: { columns: { name: 'name' } } },
    })
  })

  test('constructor is a source of refs, which an apply keeps', async () => {
    await inv.ask('PUT /api/devices/constructor:x1', { name: 'by-ref' })
    const devices = [{ name: 'by-ref', refs: { netbox: '1' } }]
    expect(await inv.api.estate.apply({ devices })).toMatchObject({ counts: { devices: { created: 0, updated: 1 } } })
  })

  test('constructor is the name of a custom field, which objects lack unless they have it', async () => {
    const reference = { type: 'reference', reference_to: 'devices' } as const
    const { id: field } = await inv.api.customFields.create({ resource: 'devices', name: 'constructor', ...reference })
    const target = await inv.api.devices.create({ name: 'target' })
    const holder = await inv.api.devices.create({ name: 'holder', custom: { constructor: target.id } })
    expect(await inv.ask(`GET /api/devices?custom.constructor=${target.id}`)).toMatchObject({
      body: [{ id: holder.id }],
    })
    expect(await inv.ask('GET /api/estate/export?resource=devices')).toMatchObject({
      body: {
        devices: [{ name: 'by-ref' }, { name: 'holder', custom: { constructor: 'target' } }, { name: 'target' }],
      },
    })
    await inv.api.devices.delete({ id: target.id })
    expect((await inv.api.devices.get({ id: holder.id })).custom).toBeUndefined()
    await inv.api.customFields.delete({ id: field, force: true })
  })
})

test('an own property is one that the object has itself', () => {
  expect([getOwn({ a: 1 }, 'a'), getOwn({}, 'constructor'), getOwn({}, '__proto__')]).toEqual([1, undefined, undefined])
})

test('the search for the key ends, whatever the value', () => {
  const text = `{"a":[${'{},'.repeat(200_000)}{"__proto__":1}]}`
  expect(() => refuseProto(JSON.parse(text), text)).toThrow('__proto__')
})
