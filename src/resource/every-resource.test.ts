/** The rules of all resources, from their facts: ids, names, fields, partial updates, ETags, If-Match, roles. */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { TestCaller } from '../../testing/app/app.ts'
import { buildDefaults, buildTextChange, isFreeText, listInputs } from '../../testing/estates/examples.ts'
import {
  alreadyExists,
  ask,
  changedSince,
  failure,
  fieldsOf,
  forbidden,
  inventoryWithWorld,
  missing,
  refusal,
  withoutSecrets,
} from '../../testing/estates/inventory.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { type FieldFacts, orderAnswer } from './facts.ts'

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

/** Values that a field refuses by its facts. */
const listWrongValues = (fact: FieldFacts): unknown[] => {
  switch (fact.type) {
    case 'integer':
    case 'number':
      return [
        // Zero clears a number that may be absent.
        ...(fact.min === undefined ? [] : [fact.min - 1 || (fact.required || 'usual' in fact ? 0 : -1)]),
        ...(fact.max === undefined ? [] : [fact.max + 1]),
        ...(fact.type === 'integer' ? [1.5] : []),
        ...(fact.step === undefined ? [] : [fact.step / 2]),
        ...['many', '10'],
      ]
    case 'flag':
      return ['maybe', 2]
    case 'choice':
      return ['none of them', 7]
    case 'tags':
      return ['a', [7], ['x'.repeat(300)]]
    case 'moment':
    case 'date':
      return ['yesterday', '2030-02-30', 7]
    case 'mac':
      return ['02:00', 'zz:zz:zz:zz:zz:zz']
    case 'reference':
      return ['no-such-object', 7]
    case 'text':
      return fact.rule === undefined ? [] : ['-x', 'a..b', 'x'.repeat(fact.max + 1)]
    default:
      return []
  }
}

/** True if `""` clears the field. */
const isClearedByEmptyText = ({ type }: FieldFacts): boolean =>
  ['text', 'reference', 'choice', 'moment', 'date', 'mac'].includes(type)

/** Names of spaces and kinds are unique by a rule, and names of scanners by their identity. */
const hasUniqueName = (name: string): boolean => ['spaces', 'kinds', 'scanners'].includes(name)
/** The id of a kind is a word that is made of its name. */
const isNamedById = (name: string): boolean => name === 'kinds'
/** A text that is no list. Fields of a kind are refused by its update. */
const REFUSED = ['kinds.fields']
/** An update of a cable takes its ends as they are. */
const UNCHECKED = ['cables.a', 'cables.b']

describe.each(onSqlite())('objects on %s', (dialect) => {
  const { inv, world } = inventoryWithWorld(dialect)
  let [viewer, operator]: TestCaller[] = []
  beforeAll(async () => {
    viewer = await inv.app.as('viewer')
    operator = await inv.app.as('operator')
  })

  describe.each([...KINDS])('of $resource', (kind) => {
    const { facts, resource, path } = kind
    const { fixed = [] } = facts
    const inputs = listInputs(facts)
    /** Fields of a path are not fields of a body. */
    const own = inputs.filter(([name]) => !kind.params.includes(name))
    const required = own.filter(([, fact]) => fact.required || fact.type === 'name').map(([name]) => name)
    const isChangeable = (name: string) => !fixed.includes(name) && name in kind.update.input.shape
    const requiredInUpdates = required.filter(isChangeable)
    const defaults = buildDefaults(facts)
    const texts = own.flatMap(([name, fact]): [string, number][] =>
      fact.type === 'text' && isFreeText(facts, name, fact) && isChangeable(name) ? [[name, fact.max]] : [],
    )
    const isPlain = (name: string) => `${resource}.${name}` !== 'networks.subnet'
    const change = buildTextChange(facts)
    const hasName = facts.fields.name?.type === 'name'
    const takesId = 'id' in kind.create.input.shape

    const build = (fields?: 'required') => world().examples.build(resource, fields)
    const buildFull = () => {
      const { path: at, body } = build()
      const n = world().examples.counts[resource]
      return { path: at, body: { ...body, refs: { netbox: `${resource}.${n}`, sn: `CI${n}` }, managed_by: 'git' } }
    }
    const post = ({ path: at, body }: { path: string; body: object }, more: object = {}) =>
      inv.ask(`POST ${at}`, { ...body, ...more })
    const create = async (made: { path: string; body: object } = buildFull(), more: object = {}): Promise<Stored> => {
      const answer = await post(made, more)
      expect([answer.status, answer.body]).toEqual([201, answer.body])
      return withoutSecrets(answer.body as Stored)
    }
    const at = ({ id }: { id: string }) => `${path}/${id}`
    const put = (object: Stored, body: unknown, headers?: Record<string, string>) =>
      inv.ask(`PUT ${at(object)}`, body, headers)
    const get = (object: Stored, headers?: Record<string, string>) => inv.ask(`GET ${at(object)}`, undefined, headers)

    test('take their ids and times from the server, and everything else from the request', async () => {
      const full = buildFull()
      const made = await create(full)
      expect(made).toMatchObject(full.body)
      // The documents of devices, and reservations, place fields that may be absent in another way.
      if (!['devices', 'reservations'].includes(resource))
        expect(Object.keys(made)).toEqual(orderAnswer(facts).filter((name) => name in made))
      expect(made).toMatchObject({ created_at: inv.now(), updated_at: inv.now() })
      if (isNamedById(resource)) expect(made.id).toBe(String(made.name).toLowerCase().replaceAll(' ', '-'))
      else expect(made.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(await get(made)).toMatchObject({ status: 200, body: made })
      const rows = (await inv.ask(`GET ${path}`)).body as Stored[]
      expect(rows.find(({ id }) => id === made.id)).toEqual(made)
    })

    test('have a value for every field that they were made without', async () => {
      expect(await create(build('required'))).toMatchObject(defaults)
    })

    test('are made alike with null for every optional field', async () => {
      const nothing = Object.fromEntries(Object.keys(defaults).map((field) => [field, null]))
      expect(await create(build('required'), nothing)).toMatchObject(defaults)
    })

    test('ignore unknown fields', async () => {
      expect(await create(build('required'), { colour: 'red' })).not.toHaveProperty('colour')
    })

    test('need their required fields, and the error names all missing ones', async () => {
      if (required.length === 0) return
      expect(fieldsOf(await post({ ...build(), body: {} })).sort()).toEqual([...required].sort())
      const nothing = Object.fromEntries(required.map((name) => [name, null]))
      expect(fieldsOf(await post(build(), nothing)).sort()).toEqual([...required].sort())
    })

    test.each(HOSTILE_IDS)('are not found under the id %s', async (id) => {
      for (const method of ['GET', 'DELETE']) expect(await inv.ask(`${method} ${path}/${id}`)).toMatchObject(missing)
      expect(await inv.ask(`PUT ${path}/${id}`, change)).toMatchObject(missing)
    })

    test('keep fields that an update does not name', async () => {
      const made = await create()
      inv.advance(1000)
      const expected = { ...made, ...change, updated_at: inv.now() }
      expect(await put(made, change)).toMatchObject({ status: 200, body: expected })
      expect((await get(made)).body).toEqual(expected)
    })

    test('are read, changed and written back whole', async () => {
      const made = await create()
      inv.advance(1000)
      expect((await put(made, { ...made, ...change })).body).toEqual({ ...made, ...change, updated_at: inv.now() })
    })

    test('keep their read-only fields, whatever an update says of them', async () => {
      const made = await create()
      inv.advance(1000)
      const computed = own.filter(([, { isComputed }]) => isComputed).map(([name]) => name)
      const answered = Object.keys(facts.computed ?? {}).filter((name) => !REFUSED.includes(`${resource}.${name}`))
      const readOnly = ['id', 'created_at', 'updated_at', ...computed, ...answered]
      const lies = Object.fromEntries(readOnly.map((field) => [field, '1999-01-01T00:00:00.000Z']))
      expect(await put(made, lies)).toMatchObject({ status: 200, body: made })
    })

    test('keep their updated_at and their ETag through an update that changes nothing', async () => {
      const made = await create()
      const { etag } = await get(made)
      inv.advance(1000)
      for (const body of [{}, made]) expect((await put(made, body)).body).toEqual(made)
      expect((await get(made)).etag).toBe(etag)
    })

    test('lose each optional field to null', async () => {
      const made = await create()
      inv.advance(1000)
      const cleared = Object.fromEntries(
        Object.entries(defaults).filter(([name]) => name === 'refs' || name === 'managed_by' || isChangeable(name)),
      )
      const { body } = await put(made, Object.fromEntries(Object.keys(cleared).map((field) => [field, null])))
      expect(body).toEqual({ ...made, ...cleared, updated_at: inv.now() })
    })

    test('lose each optional text, reference, choice and time to ""', async () => {
      const made = await create()
      inv.advance(1000)
      const clearable = own.flatMap(([name, fact]): [string, unknown][] =>
        name in defaults && isChangeable(name) && isClearedByEmptyText(fact) ? [[name, defaults[name]]] : [],
      )
      const { status, body } = await put(made, Object.fromEntries(clearable.map(([name]) => [name, ''])))
      expect([status, body]).toMatchObject([200, Object.fromEntries(clearable)])
    })

    test('never lose a required field', async () => {
      const made = await create()
      for (const value of [null, '']) {
        const bad = Object.fromEntries(requiredInUpdates.map((field) => [field, value]))
        if (requiredInUpdates.length > 0)
          expect(fieldsOf(await put(made, bad)).sort()).toEqual([...requiredInUpdates].sort())
      }
      expect((await get(made)).body).toEqual(made)
    })

    test('refuse values of the wrong type by the name of the field', async () => {
      const made = await create()
      for (const field of [...requiredInUpdates, ...Object.keys(defaults).filter((name) => isChangeable(name))]) {
        if (UNCHECKED.includes(`${resource}.${field}`)) continue
        const named = fieldsOf(await put(made, { [field]: { a: 1 } }))
        expect(named.every((name) => name === field || name.startsWith(`${field}.`))).toBe(true)
      }
      expect((await get(made)).body).toEqual(made)
    })

    const bounded = own.flatMap(([name, fact]) =>
      isChangeable(name) ? listWrongValues(fact).map((value) => [name, value] as const) : [],
    )
    if (bounded.length > 0)
      test.each(bounded)('refuse %s = %j', async (field, value) => {
        const { path: to, body } = build()
        const made = await create()
        const created = fieldsOf(await inv.ask(`POST ${to}`, { ...body, [field]: value }))
        const updated = fieldsOf(await put(made, { [field]: value }))
        for (const name of [...created, ...updated]) expect([name, name.split('[')[0]]).toEqual([name, field])
        expect((await get(made)).body).toEqual(made)
      })

    const choices = own.flatMap(([name, fact]) =>
      fact.type === 'choice' && isChangeable(name) ? fact.of.map((value) => [name, value] as const) : [],
    )
    // The type of a custom field has rules of its own.
    if (choices.length > 0 && resource !== 'custom-fields')
      test.each(choices)('take %s = %s', async (field, value) => {
        expect(await create(build(), { [field]: value })).toMatchObject({ [field]: value })
      })

    const positive = own.filter(([name, fact]) => 'min' in fact && fact.min === 1 && defaults[name] === null)
    if (positive.length > 0)
      test.each(positive.map(([name]) => name))('lose %s to 0', async (field) => {
        expect((await put(await create(), { [field]: 0 })).body).toMatchObject({ [field]: null })
      })

    const macs = own.filter(([, { type }]) => type === 'mac').map(([name]) => name)
    if (macs.length > 0)
      test.each(macs)('keep %s in its canonical form', async (field) => {
        const made = await create(build(), { [field]: '00-1B-21-AA-BB-CC' })
        expect(made[field]).toBe('00:1b:21:aa:bb:cc')
      })

    const trimmed = own.flatMap(([name, fact]) =>
      fact.type === 'text' && (fact.trim || (fact.required && !fact.rule)) && isPlain(name) ? [name] : [],
    )
    if (trimmed.length > 0)
      test.each(trimmed)('lose the white space around %s', async (field) => {
        const { path: to, body } = build()
        const made = await create({ path: to, body: { ...body, [field]: `  ${body[field]} ` } })
        expect(made[field]).toBe(body[field])
      })

    test.each(texts)('bound %s at %d characters', async (field, most) => {
      const made = await create(build('required'))
      expect(await put(made, { [field]: 'x'.repeat(most) })).toMatchObject({ status: 200 })
      expect(await put(made, { [field]: 'x'.repeat(most + 1) })).toMatchObject(refusal(field))
    })

    test.each(texts)('take only storable Unicode as %s', async (field) => {
      const made = await create(build('required'))
      const fine = 'Zoë \u{1f5fa} "\\ \n\u0001'
      expect(await put(made, { [field]: fine })).toMatchObject({ status: 200, body: { [field]: fine } })
      for (const bad of ['a\u0000b', 'a\ud800b'])
        expect(await put(made, { [field]: bad })).toMatchObject(refusal(field))
    })

    test('have the same ETag by GET, POST and PUT, and are 304 for a client with it', async () => {
      const made = await post(buildFull())
      const object = made.body as Stored
      const got = await get(object)
      expect(got.etag).toMatch(/^"[^"]+"$/)
      // An answer with a secret is another one.
      expect(made.etag === got.etag).toBe(kind.create.answersSecret !== true)
      expect(await get(object, { 'If-None-Match': got.etag ?? '' })).toMatchObject({ status: 304, etag: got.etag })
      const changed = await put(object, change)
      expect(changed.etag).not.toBe(got.etag)
      expect(await get(object, { 'If-None-Match': got.etag ?? '' })).toMatchObject({ status: 200, etag: changed.etag })
    })

    test('are changed and deleted only in the version that If-Match names', async () => {
      const made = await create()
      const { etag } = await get(made)
      const match = { 'If-Match': etag ?? '' }
      expect(await put(made, change, { 'If-Match': '"another"' })).toMatchObject(changedSince)
      expect((await get(made)).body).toEqual(made)
      expect(await put(made, change, match)).toMatchObject({ status: 200 })
      expect(await put(made, change, match)).toMatchObject(changedSince)
      expect(await put(made, change, { 'If-Match': '*' })).toMatchObject({ status: 200 })
      const drop = (value: string) => inv.ask(`DELETE ${at(made)}`, undefined, { 'If-Match': value })
      expect(await drop(etag ?? '')).toMatchObject(changedSince)
      const now = await get(made)
      expect(now).toMatchObject({ status: 200 })
      expect(await drop(now.etag ?? '')).toMatchObject({ status: 204, body: undefined })
    })

    test('are gone once they are deleted', async () => {
      const made = await create()
      expect(await inv.ask(`DELETE ${at(made)}`)).toMatchObject({ status: 204, body: undefined })
      expect(await get(made)).toMatchObject(missing)
      expect(await inv.ask(`DELETE ${at(made)}`)).toMatchObject(missing)
    })

    test('are read by a viewer, who changes nothing, and never deleted by an operator', async () => {
      const made = await create()
      const { path: to, body } = buildFull()
      const as = (who: TestCaller | undefined, http: string, sent?: unknown) => ask(who as TestCaller, http, sent)
      expect(await as(viewer, `GET ${at(made)}`)).toMatchObject({ status: 200, body: made })
      expect(await as(viewer, `POST ${to}`, body)).toMatchObject(forbidden)
      expect(await as(viewer, `PUT ${at(made)}`, change)).toMatchObject(forbidden)
      expect(await as(viewer, `DELETE ${at(made)}`)).toMatchObject(forbidden)
      expect((await get(made)).body).toEqual(made)
      const mayWrite = facts.operators !== 'read'
      expect(await as(operator, `DELETE ${at(made)}`)).toMatchObject(forbidden)
      expect(await as(operator, `PUT ${at(made)}`, change)).toMatchObject(mayWrite ? { status: 200 } : forbidden)
      expect(await as(operator, `POST ${to}`, body)).toMatchObject(mayWrite ? { status: 201 } : forbidden)
    })

    test('are nothing to a guest', async () => {
      const made = await create()
      const as = (http: string, body?: unknown) => ask({ request: inv.app.guest }, http, body)
      const nobody = failure(401, 'UNAUTHORIZED')
      for (const http of [`GET ${at(made)}`, `DELETE ${at(made)}`]) expect(await as(http)).toMatchObject(nobody)
      expect(await as(`PUT ${at(made)}`, change)).toMatchObject(nobody)
      expect(await as(`POST ${build().path}`, {})).toMatchObject(nobody)
    })

    if (takesId) {
      test('may bring their ids along, which are taken once', async () => {
        const id = isNamedById(resource) ? 'own-id-1' : `Own_id.${resource}-1`
        expect(await create(build('required'), { id })).toMatchObject({ id })
        expect(await post(build('required'), { id })).toMatchObject(alreadyExists)
        const longest = resource.padEnd(isNamedById(resource) ? 50 : 64, 'x')
        expect(await create(build('required'), { id: longest })).toMatchObject({ id: longest })
      })

      test.each(['', 'a b', 'a/b', 'ü', 'x'.repeat(65), 'a\n', 7])('never have the id %j', async (id) => {
        expect(await post(build('required'), { id })).toMatchObject(refusal('id'))
      })
    }

    if (hasName) {
      const { max: most = 255 } = facts.fields.name as { readonly max?: number }
      test(`have trimmed names of 1 to ${most} characters`, async () => {
        const named = (name: string) => post(build('required'), { name })
        expect(await named('  padded ')).toMatchObject({ status: 201, body: { name: 'padded' } })
        expect(await named('x'.repeat(most))).toMatchObject({ status: 201 })
        expect(await named(` ${'z'.repeat(most)} `)).toMatchObject({ status: 201 })
        for (const bad of ['', ' \t\n', 'x'.repeat(most + 1), 'a\u0000b', 'a\udc00b'])
          expect(await named(bad)).toMatchObject(refusal('name'))
      })

      test('may have the name of another, but for a space', async () => {
        const { name } = await create()
        expect(await post(build('required'), { name })).toMatchObject(
          hasUniqueName(resource) ? alreadyExists : { status: 201, body: { name } },
        )
      })

      test('name every bad field of a request at once', async () => {
        const answer = await post(build('required'), { name: '', description: 7 })
        expect(answer).toMatchObject(refusal('name', 'description'))
        const { error, details } = answer.body as { error: string; details: { field: string; message: string }[] }
        expect(error).toBe(details.map(({ field, message }) => `${field}: ${message}`).join('; '))
      })
    }

    const { identity } = facts
    if (identity)
      test('are the only ones with their identity', async () => {
        const { path: to, body } = build()
        const made = await create({ path: to, body })
        const same = Object.fromEntries(identity.flatMap((name) => (name in body ? [[name, made[name]]] : [])))
        const answer = await inv.ask(`POST ${to}`, { ...build().body, ...same })
        expect(answer.status).toBe(409)
      })

    test.each(['', '{', '[]', '"text"', 'null', '7'])('are not made of the body %j', async (body) => {
      expect(await inv.ask(`POST ${build().path}`, body)).toMatchObject(failure(400, 'INVALID_JSON'))
    })
  })
})
