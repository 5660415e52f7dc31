// The rules of all objects of the inventory: ids, names, partial updates, ETags, If-Match, roles.
import { beforeAll, describe, expect, test } from 'bun:test'
import type { TestCaller } from '../../../testing/app/app.ts'
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
import { KINDS, makeSite, type Site } from '../../../testing/estates/inventory-kinds.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

type Stored = Readonly<Record<string, unknown>> & { readonly id: string }

const HOSTILE_IDS = [
  'nope',
  '01900000-0000-7000-8000-000000000000',
  "' OR 1=1 --",
  '%25',
  '\u{1f4a5}',
  '[]',
  'a\u0000b',
  'x'.repeat(300),
].map(encodeURIComponent)

describe.each(onSqlite())('objects of the inventory on %s', (dialect) => {
  const inv = inventory(dialect)
  let site: Site
  let [viewer, operator]: TestCaller[] = []
  beforeAll(async () => {
    site = await makeSite(inv)
    viewer = await inv.app.as('viewer')
    operator = await inv.app.as('operator')
  })

  describe.each([...KINDS])('a $kind', (kind) => {
    const post = (body: unknown) => inv.ask(`POST ${kind.collection(site)}`, body)
    const create = async (body: unknown = kind.full(site)): Promise<Stored> => {
      const { status, body: made } = await post(body)
      expect(status).toBe(201)
      return made as Stored
    }
    const at = ({ id }: { id: string }) => `${kind.path}/${id}`
    const put = (object: Stored, body: unknown, headers?: Record<string, string>) =>
      inv.ask(`PUT ${at(object)}`, body, headers)
    const get = (object: Stored, headers?: Record<string, string>) => inv.ask(`GET ${at(object)}`, undefined, headers)

    test('takes its id and its times from the server, and everything else from the request', async () => {
      const full = kind.full(site)
      const made = await create(full)
      expect(made).toMatchObject(full)
      expect(made).toMatchObject({ created_at: inv.now(), updated_at: inv.now() })
      expect(made.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(await get(made)).toMatchObject({ status: 200, body: made })
    })

    test('has a value for every field that it was made without', async () => {
      expect(await create(kind.least(site))).toMatchObject(kind.defaults)
    })

    test('is made alike with null for every optional field', async () => {
      const nothing = Object.fromEntries(Object.keys(kind.defaults).map((field) => [field, null]))
      expect(await create({ ...kind.least(site), ...nothing })).toMatchObject(kind.defaults)
    })

    test('ignores unknown fields', async () => {
      const made = await create({ ...kind.least(site), colour: 'red' })
      expect(made).not.toHaveProperty('colour')
    })

    if (kind.required.length > 0)
      test('needs its required fields, and the error names all missing ones', async () => {
        expect(await post({})).toMatchObject(refusal(...kind.required))
      })

    test.each(HOSTILE_IDS)('is not found under the id %s', async (id) => {
      for (const method of ['GET', 'DELETE'])
        expect(await inv.ask(`${method} ${kind.path}/${id}`)).toMatchObject(missing)
      expect(await inv.ask(`PUT ${kind.path}/${id}`, kind.change)).toMatchObject(missing)
    })

    test('keeps fields that an update does not name', async () => {
      const made = await create()
      inv.advance(1000)
      const expected = { ...made, ...kind.change, updated_at: inv.now() }
      expect(await put(made, kind.change)).toMatchObject({ status: 200, body: expected })
      expect((await get(made)).body).toEqual(expected)
    })

    test('is read, changed and written back whole', async () => {
      const made = await create()
      inv.advance(1000)
      const { body } = await put(made, { ...made, ...kind.change })
      expect(body).toEqual({ ...made, ...kind.change, updated_at: inv.now() })
    })

    test('keeps its read-only fields, whatever an update says of them', async () => {
      const made = await create()
      inv.advance(1000)
      const lies = Object.fromEntries(kind.readOnly.map((field) => [field, '1999-01-01T00:00:00.000Z']))
      expect(await put(made, lies)).toMatchObject({ status: 200, body: made })
    })

    test('keeps its updated_at and its ETag through an update that changes nothing', async () => {
      const made = await create()
      const { etag } = await get(made)
      inv.advance(1000)
      for (const body of [{}, made]) expect((await put(made, body)).body).toEqual(made)
      expect((await get(made)).etag).toBe(etag)
    })

    test('loses each optional field to null', async () => {
      const made = await create()
      inv.advance(1000)
      const nothing = Object.fromEntries(Object.keys(kind.defaults).map((field) => [field, null]))
      const { body } = await put(made, nothing)
      expect(body).toEqual({ ...made, ...kind.defaults, updated_at: inv.now() })
    })

    test('loses each optional text, reference, status and time to ""', async () => {
      const made = await create()
      inv.advance(1000)
      const clearable = Object.entries(kind.defaults).filter(
        ([name, value]) =>
          !(Array.isArray(value) || typeof value === 'boolean' || typeof value === 'number') &&
          !['vlan_id', 'refs', 'minimum', 'maximum', 'power_w', 'max_power_w'].includes(name),
      )
      const { status, body } = await put(made, Object.fromEntries(clearable.map(([name]) => [name, ''])))
      expect(status).toBe(200)
      expect(body).toMatchObject(Object.fromEntries(clearable))
    })

    test('never loses a required field', async () => {
      const made = await create()
      for (const value of [null, '']) {
        const bad = Object.fromEntries(kind.required.map((field) => [field, value]))
        if (kind.required.length > 0) expect(await put(made, bad)).toMatchObject(refusal(...kind.required))
      }
      expect((await get(made)).body).toEqual(made)
    })

    test('refuses values of the wrong type by the name of the field', async () => {
      const made = await create()
      for (const field of [...kind.required, ...Object.keys(kind.defaults)])
        expect(await put(made, { [field]: { a: 1 } })).toMatchObject(refusal(field === 'refs' ? 'refs.a' : field))
      expect((await get(made)).body).toEqual(made)
    })

    test.each(Object.entries(kind.texts))('bounds %s at %d characters', async (field, most) => {
      const made = await create()
      expect(await put(made, { [field]: 'x'.repeat(most) })).toMatchObject({ status: 200 })
      expect(await put(made, { [field]: 'x'.repeat(most + 1) })).toMatchObject(refusal(field))
    })

    test.each(Object.keys(kind.texts))('takes only storable Unicode as %s', async (field) => {
      const made = await create()
      const fine = 'Zoë \u{1f5fa} "\\ \n\u0001'
      expect(await put(made, { [field]: fine })).toMatchObject({ status: 200, body: { [field]: fine } })
      for (const bad of ['a\u0000b', 'a\ud800b'])
        expect(await put(made, { [field]: bad })).toMatchObject(refusal(field))
    })

    test('has the same ETag by GET, POST and PUT, and is 304 for a client with it', async () => {
      const made = await post(kind.full(site))
      const object = made.body as Stored
      const got = await get(object)
      expect(got.etag).toMatch(/^"[^"]+"$/)
      expect(made.etag).toBe(got.etag)
      expect(await get(object, { 'If-None-Match': got.etag ?? '' })).toMatchObject({ status: 304, etag: got.etag })
      const changed = await put(object, kind.change)
      expect(changed.etag).not.toBe(got.etag)
      expect(await get(object, { 'If-None-Match': got.etag ?? '' })).toMatchObject({ status: 200, etag: changed.etag })
    })

    test('is changed only in the version that If-Match names', async () => {
      const made = await create()
      const { etag } = await get(made)
      const match = { 'If-Match': etag ?? '' }
      expect(await put(made, kind.change, { 'If-Match': '"another"' })).toMatchObject(changedSince)
      expect((await get(made)).body).toEqual(made)
      expect(await put(made, kind.change, match)).toMatchObject({ status: 200 })
      expect(await put(made, kind.change, match)).toMatchObject(changedSince)
      expect(await put(made, kind.change, { 'If-Match': '*' })).toMatchObject({ status: 200 })
    })

    test('is deleted only in the version that If-Match names', async () => {
      const made = await create()
      const { etag } = await get(made)
      const drop = (value: string) => inv.ask(`DELETE ${at(made)}`, undefined, { 'If-Match': value })
      expect(await drop('"another"')).toMatchObject(changedSince)
      expect(await get(made)).toMatchObject({ status: 200 })
      expect(await drop(etag ?? '')).toMatchObject({ status: 204, body: undefined })
    })

    test('is gone once it is deleted', async () => {
      const made = await create()
      expect(await inv.ask(`DELETE ${at(made)}`)).toMatchObject({ status: 204, body: undefined })
      expect(await get(made)).toMatchObject(missing)
      expect(await inv.ask(`DELETE ${at(made)}`)).toMatchObject(missing)
    })

    test('is read by a viewer, who changes nothing', async () => {
      const made = await create()
      const as = (http: string, body?: unknown) => ask(viewer as TestCaller, http, body)
      expect(await as(`GET ${at(made)}`)).toMatchObject({ status: 200, body: made })
      expect(await as(`POST ${kind.collection(site)}`, kind.full(site))).toMatchObject(forbidden)
      expect(await as(`PUT ${at(made)}`, kind.change)).toMatchObject(forbidden)
      expect(await as(`DELETE ${at(made)}`)).toMatchObject(forbidden)
      expect((await get(made)).body).toEqual(made)
    })

    test('is never deleted by an operator', async () => {
      const made = await create()
      const as = (http: string, body?: unknown) => ask(operator as TestCaller, http, body)
      expect(await as(`DELETE ${at(made)}`)).toMatchObject(forbidden)
      const mayWrite = !['custom field', 'datacenter', 'space'].includes(kind.kind)
      expect(await as(`PUT ${at(made)}`, kind.change)).toMatchObject(mayWrite ? { status: 200 } : forbidden)
      expect(await as(`POST ${kind.collection(site)}`, kind.full(site))).toMatchObject(
        mayWrite ? { status: 201 } : forbidden,
      )
    })

    test('is nothing to a guest', async () => {
      const made = await create()
      const as = (http: string, body?: unknown) => ask({ request: inv.app.guest }, http, body)
      for (const http of [`GET ${at(made)}`, `DELETE ${at(made)}`])
        expect(await as(http)).toMatchObject(failure(401, 'UNAUTHORIZED'))
      expect(await as(`PUT ${at(made)}`, kind.change)).toMatchObject(failure(401, 'UNAUTHORIZED'))
      expect(await as(`POST ${kind.collection(site)}`, {})).toMatchObject(failure(401, 'UNAUTHORIZED'))
    })

    if (kind.hasName) {
      test('may bring its id along, which is taken once', async () => {
        const id = `Own_id.${kind.kind}-1`
        expect(await create({ ...kind.least(site), id })).toMatchObject({ id })
        expect(await post({ ...kind.least(site), id })).toMatchObject(alreadyExists)
        const longest = `${kind.kind}${'x'.repeat(64 - kind.kind.length)}`
        expect(await create({ ...kind.least(site), id: longest })).toMatchObject({ id: longest })
      })

      test.each(['', 'a b', 'a/b', 'ü', 'x'.repeat(65), 'a\n', 7])('never has the id %j', async (id) => {
        expect(await post({ ...kind.least(site), id })).toMatchObject(refusal('id'))
      })

      test('has a trimmed name of 1 to 255 characters', async () => {
        const named = (name: string) => post({ ...kind.least(site), name })
        expect(await named('  padded ')).toMatchObject({ status: 201, body: { name: 'padded' } })
        expect(await named('x'.repeat(255))).toMatchObject({ status: 201 })
        expect(await named(` ${'z'.repeat(255)} `)).toMatchObject({ status: 201 })
        for (const bad of ['', ' \t\n', 'x'.repeat(256), 'a\u0000b', 'a\udc00b'])
          expect(await named(bad)).toMatchObject(refusal('name'))
      })

      test('may have the name of another, but for a space', async () => {
        const { name } = await create()
        const isUnique = kind.kind === 'space'
        expect(await post({ ...kind.least(site), name })).toMatchObject(
          isUnique ? alreadyExists : { status: 201, body: { name } },
        )
      })

      test('names every bad field of a request at once', async () => {
        const answer = await post({ ...kind.least(site), name: '', description: 7 })
        expect(answer).toMatchObject(refusal('name', 'description'))
        const { error, details } = answer.body as { error: string; details: { field: string; message: string }[] }
        expect(error).toBe(details.map(({ field, message }) => `${field}: ${message}`).join('; '))
      })
    }

    test.each(['', '{', '[]', '"text"', 'null', '7'])('is not made of the body %j', async (body) => {
      expect(await post(body)).toMatchObject(failure(400, 'INVALID_JSON'))
    })
  })
})
