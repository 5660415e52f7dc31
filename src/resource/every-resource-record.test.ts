/** What Plat keeps of each write of a resource, and how its list is read: history, undo, the past, events, audit, filters, order, owner. */
import { describe, expect, test } from 'bun:test'
import { buildTextChange } from '../../testing/estates/examples.ts'
import {
  type Answer,
  fieldsOf,
  inventoryWithWorld,
  missing,
  refusal,
  withoutSecrets,
} from '../../testing/estates/inventory.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { expectAsHistory, findLastSeq, readEvents } from '../../testing/recorded-events.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { toKind } from './nouns.ts'

type Stored = Readonly<Record<string, unknown>> & { readonly id: string }

const toRows = ({ status, body }: Answer): Stored[] => {
  expect(status).toBe(200)
  return body as Stored[]
}
const toKey = (value: unknown): string => String(value).toLowerCase()

describe.each(onSqlite())('writes and lists on %s', (dialect) => {
  const { inv, world } = inventoryWithWorld(dialect)

  describe.each([...KINDS])('of $resource', ({ facts, resource, path }) => {
    const change = buildTextChange(facts)
    const [changed = ''] = Object.keys(change)

    const send = async (http: string, body?: object) => {
      const [method = '', at = ''] = http.split(' ')
      const response = await inv.admin.request(method, at, body)
      const text = await response.text()
      expect([http, response.status < 300 ? 2 : text]).toEqual([http, 2])
      return {
        body: text === '' ? undefined : (JSON.parse(text) as Stored),
        id: response.headers.get('x-change-id') ?? '',
      }
    }
    const create = async (more: object = {}) => {
      const { path: to, body } = world().examples.build(resource)
      const { body: made, id } = await send(`POST ${to}`, { ...body, ...more })
      return { made: withoutSecrets(made as Stored), change: id }
    }
    const at = ({ id }: Pick<Stored, 'id'>) => `${path}/${id}`
    const undo = async (id: string): Promise<void> => void (await send(`POST /api/history/${id}/undo`, {}))
    const read = async (object: Stored, query = ''): Promise<Answer> => inv.ask(`GET ${at(object)}${query}`)

    test('each are a change in the history, with an event and an audit entry', async () => {
      const start = await findLastSeq(inv.app)
      const { made, change: created } = await create()
      const { id: updated } = await send(`PUT ${at(made)}`, change)
      const { id: deleted } = await send(`DELETE ${at(made)}`)
      const events = await readEvents(inv.app, start)
      for (const [verb, id] of [
        ['create', created],
        ['update', updated],
        ['delete', deleted],
      ] as const) {
        const entry = await inv.api.history.get({ id })
        expect(entry).toMatchObject({ operation: `${resource}.${verb}`, user_id: inv.admin.userId })
        const items = (entry.items ?? []).filter((item) => item.id === made.id)
        expect(items).toMatchObject([{ kind: toKind(resource), change: verb }])
        if (verb === 'update')
          expect(items[0]?.fields).toEqual({ [changed]: { from: made[changed], to: change[changed] } })
        expect(await expectAsHistory(inv.admin, id, events)).toBeGreaterThan(0)
      }
      const audit = await inv.ask(`GET /api/audit?resource_id=${made.id}`)
      expect((audit.body as { action: string }[]).map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
      const own = await inv.ask(`GET ${at(made)}/history`)
      expect([own.status, (own.body as unknown[] | undefined)?.length]).toEqual([200, 3])
    })

    test('are undone, and read as of a moment', async () => {
      const { made, change: created } = await create()
      inv.advance(1000)
      const { id: updated } = await send(`PUT ${at(made)}`, change)
      expect((await read(made, `?as_of=${created}`)).body).toEqual(made)
      expect(toRows(await inv.ask(`GET ${path}?limit=1000&as_of=${created}`))).toContainEqual(made)
      await undo(updated)
      const { updated_at: _, ...before } = made
      expect((await read(made)).body).toMatchObject(before)
      const { id: deleted } = await send(`DELETE ${at(made)}`)
      expect(await read(made)).toMatchObject(missing)
      expect((await read(made, `?as_of=${updated}`)).body).toMatchObject({ ...before, ...change })
      await undo(deleted)
      expect((await read(made)).body).toMatchObject(before)
      await undo(created)
      expect(await read(made)).toMatchObject(missing)
    })

    test('are filtered by an owner, now and in the past, and a bad owner is refused', async () => {
      const owner = `git:${resource}/ams@1`
      const owned = async (more = '') =>
        toRows(await inv.ask(`GET ${path}?managed_by=${encodeURIComponent(owner)}${more}`)).map(({ id }) => id)
      const { made: mine } = await create({ managed_by: owner })
      const { made: other } = await create()
      expect([mine.managed_by, other.managed_by, await owned()]).toEqual([owner, '', [mine.id]])
      const { id: released } = await send(`PUT ${at(mine)}`, { managed_by: '' })
      const { id: taken } = await send(`PUT ${at(other)}`, { managed_by: owner })
      expect([await owned(), await owned(`&as_of=${released}`)]).toEqual([[other.id], []])
      const item = (await inv.api.history.get({ id: taken })).items?.[0]
      expect(item?.fields).toEqual({ managed_by: { from: '', to: owner } })
      await undo(taken)
      expect(await owned()).toEqual([])
      const { path: to, body } = world().examples.build(resource)
      for (const managed_by of [' git', '-git', 'a b', 'x'.repeat(65), 'gít', 7])
        expect(fieldsOf(await inv.ask(`POST ${to}`, { ...body, managed_by }))).toEqual(['managed_by'])
    })

    const numbers = Object.entries(facts.fields).filter(([, { type, filter }]) => filter && type === 'integer')
    if (numbers.length > 0)
      test.each(numbers)('refuse a text as the filter %s', async (name) => {
        expect(await inv.ask(`GET ${path}?${name}=x`)).toMatchObject(refusal(name))
      })

    const filters = Object.entries(facts.fields).flatMap(([name, { filter }]) =>
      filter ? [[name, filter] as const] : [],
    )
    if (filters.length > 0)
      test.each(filters)('are filtered by %s, which is %s', async (name, filter) => {
        const { made } = await create()
        await create()
        const value = String(made[name])
        // Nothing is below the object of the example.
        const isExact = filter === 'equal' || filter === 'within'
        const isFound = (row: Stored) => {
          if (isExact) return String(row[name]) === value
          return filter === 'same' ? toKey(row[name]) === toKey(value) : toKey(row[name]).includes(toKey(value))
        }
        const all = toRows(await inv.ask(`GET ${path}?limit=1000`))
        const given = isExact ? value : value.toUpperCase()
        const found = toRows(await inv.ask(`GET ${path}?limit=1000&${name}=${encodeURIComponent(given)}`))
        expect(found).toEqual(all.filter(isFound))
        expect(found.map(({ id }) => id)).toContain(made.id)
        if (!isExact) expect(toRows(await inv.ask(`GET ${path}?${name}=zz%25_none`))).toEqual([])
      })

    const { name: named } = facts.fields
    if (named?.filter === 'part' && named.type === 'name')
      test('are filtered by a part of the name in any case, % and _ literal', async () => {
        const names = ['f-Ärger', 'f-50%', 'f-500', 'f-a_b', 'f-axb', 'f-c\\d']
        for (const name of names) await create({ name })
        const find = async (part: string) =>
          toRows(await inv.ask(`GET ${path}?limit=1000&name=${encodeURIComponent(part)}`))
            .map(({ name }) => String(name))
            .sort()
        expect(await find('ÄRGER')).toEqual(['f-Ärger'])
        expect(await find('F-50')).toEqual(['f-50%', 'f-500'])
        for (const part of ['50%', 'f-a_b', 'c\\d'])
          expect(await find(part)).toEqual([names.find((one) => one.endsWith(part)) ?? ''])
        expect(await find('%')).toEqual(['f-50%'])
        expect(await find("f-'")).toEqual([])
        expect((await find('')).length).toBeGreaterThanOrEqual(6)
      })

    test('are whole and cut by limit and offset, say how many there are, and refuse other pages', async () => {
      for (let made = 0; made < 3; made++) await create()
      const all = await inv.ask(`GET ${path}?limit=1000`)
      const rows = toRows(all)
      expect(all.total).toBe(String(rows.length))
      for (const [query, expected] of [
        ['limit=2', rows.slice(0, 2)],
        ['limit=2&offset=1', rows.slice(1, 3)],
        ['limit=1000&offset=3', rows.slice(3)],
        ['offset=1000000', []],
      ] as const) {
        const part = await inv.ask(`GET ${path}?${query}`)
        expect([query, part.body, part.total]).toEqual([query, expected, all.total])
      }
      for (const query of ['limit=0', 'limit=-1', 'limit=1.5', 'limit=many', 'offset=-1', 'offset=x'])
        expect(await inv.ask(`GET ${path}?${query}`)).toMatchObject(refusal(query.split('=')[0] ?? ''))
    })

    test('have an ETag that each write changes, and a refused write does not', async () => {
      const { made } = await create()
      const list = async (query = '', headers = {}) => inv.ask(`GET ${path}?limit=1000${query}`, undefined, headers)
      const { etag } = await list()
      const known = { 'If-None-Match': etag ?? '' }
      expect(await list('', known)).toMatchObject({ status: 304, etag })
      expect(await list('&offset=1', known)).toMatchObject({ status: 200 })
      await inv.ask(`PUT ${at(made)}`, { refs: { 'A b': 7 } })
      await send(`PUT ${at(made)}`, {})
      expect((await list()).etag).toBe(etag)
      inv.advance(1000)
      await send(`PUT ${at(made)}`, change)
      const later = await list('', known)
      expect([later.status, later.etag === etag]).toEqual([200, false])
      await send(`DELETE ${at(made)}`)
      expect((await list()).etag).not.toBe(later.etag)
    })
  })
})
