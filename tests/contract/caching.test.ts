/** Checks the entity tags, preconditions and totals of all operations that have them. */
import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import type { TestCaller } from '../../testing/app/app.ts'
import { buildAddress, getTarget, operations, worldSuite } from '../../testing/estates/world.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const named = (some: readonly AnyOperation[]) => some.map((op): [string, AnyOperation] => [op.name, op])

const isGet = ({ http }: AnyOperation) => http.startsWith('GET ')
/** It answers the best matches, and has no further pages. */
const WITHOUT_PAGES = ['addresses.free', 'impact.single-points', 'presence.joined']
const isList = ({ name, output }: AnyOperation) => output instanceof z.ZodArray && !WITHOUT_PAGES.includes(name)
const lists = operations.filter((op) => isGet(op) && isList(op))
// Reads that need a session have no answer for the API key of these tests.
const objects = operations.filter((op) => isGet(op) && !isList(op) && op.session === undefined)
/** It counts the reads of the database, so each answer is another one. */
const MEASURED = 'database.status'
/** Their answers up to now change with the time. */
const WITH_RANGE = new Set(['presence.of-discovered', 'presence.of-device', 'lookup.presence'])
const PAST = '?to=2026-01-01T00:00:00Z'
const reads = new Set<string>(objects.map(({ http }) => parseHttp(http).path))
/** PUT and DELETE of single objects that can be read, and so have a tag. */
const changes = operations.filter(
  // The demo is no object of its own; its test has the precondition of its removal.
  ({ http, name }) => /^(PUT|DELETE) /.test(http) && reads.has(parseHttp(http).path) && name !== 'demo.remove',
)
describe.each(onSqlite())('on %s', (dialect) => {
  const world = worldSuite({ dialect })
  const send: TestCaller['request'] = (...request) => world.admin.request(...request)
  const getAddress = (op: AnyOperation): string =>
    // Two objects have changed since.
    buildAddress(op, world.ids).replace('from=0s', `from=${world.ids.history}`) + (WITH_RANGE.has(op.name) ? PAST : '')
  /** Returns the address of a change of an object that only this test has. */
  const makeAddress = async (op: AnyOperation): Promise<string> => {
    const noun = getTarget(op, 'id')
    return buildAddress(op, { ...world.ids, [noun]: await world.make(noun) })
  }

  describe('a list', () => {
    test.each(named(lists))('%s says how many there are', async (_, op) => {
      const response = await send('GET', getAddress(op))
      const rows = z.array(z.unknown()).parse(await response.json())
      expect(response.headers.get('x-total-count')).toBe(`${rows.length}`)
    })

    test.each(named(lists))('%s is as its contract says', async (_, op) => {
      const response = await send('GET', getAddress(op))
      expect(op.output.safeParse(await response.json()).error?.issues).toBeUndefined()
    })

    test.each(named(lists))('%s is 304 for a client with its ETag', async (_, op) => {
      const path = getAddress(op)
      await until('list that stays the same', async () => {
        const etag = (await send('GET', path)).headers.get('etag') ?? ''
        expect(etag).toMatch(/^"[^"]+"$/)
        const again = await send('GET', path, undefined, { 'If-None-Match': etag })
        // A delivery of a webhook changes the list of deliveries at any time.
        if (again.status === 200 && again.headers.get('etag') !== etag) return undefined
        expect(again.status).toBe(304)
        return true
      })
    })

    test.each(named(lists))('%s is sent in pages', async (_, op) => {
      const path = getAddress(op)
      const at = (page: string) => send('GET', path + (path.includes('?') ? '&' : '?') + page)
      // More than the default limit of any list.
      const first = await at('limit=1000')
      const whole = z.array(z.unknown()).parse(await first.json())
      const second = await at('limit=1&offset=1')
      expect(await second.json()).toEqual(whole.slice(1, 2))
      expect(second.headers.get('x-total-count')).toBe(first.headers.get('x-total-count'))
    })

    test.each(named(lists))('%s from beyond its end is empty', async (_, op) => {
      const path = getAddress(op)
      const response = await send('GET', `${path}${path.includes('?') ? '&' : '?'}offset=9007199254740991`)
      expect(await response.json()).toEqual([])
    })

    test.each(named(lists))('%s refuses an invalid page size', async (_, op) => {
      const path = getAddress(op)
      const at = async (limit: string) =>
        (await send('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`)).status
      expect([await at('0'), await at('-1'), await at('1.5'), await at('1e400')]).toEqual([400, 400, 400, 400])
    })
  })

  describe('an object', () => {
    test.each(named(objects.filter(({ name }) => name !== MEASURED)))(
      '%s is 304 for a client with its ETag',
      async (_, op) => {
        const path = getAddress(op)
        const first = await send('GET', path)
        expect([first.status, first.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"[^"]+"$/)])
        const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
        expect((await send('GET', path, undefined, headers)).status).toBe(304)
      },
    )

    const single = objects.filter(({ http }) => parseHttp(http).params.includes('id'))
    test.each(named(single))('%s of an absent object is 404', async (_, op) => {
      const answers = await Promise.all(
        ['unknown', '%25', "'"].map((id) => send('GET', buildAddress(op, { ...world.ids, id }))),
      )
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    })

    test.each(named(objects))('%s is as its contract says', async (_, op) => {
      const response = await send('GET', getAddress(op))
      expect(op.output.safeParse(await response.json()).error?.issues).toBeUndefined()
    })
  })

  describe('a change', () => {
    const body = ({ http }: AnyOperation) => (http.startsWith('PUT') ? {} : undefined)
    const ask = (op: AnyOperation, path: string, ifMatch?: string) =>
      send(parseHttp(op.http).method, path, body(op), ifMatch === undefined ? {} : { 'If-Match': ifMatch })

    test.each(named(changes))('%s of a changed object is refused', async (_, op) => {
      const response = await ask(op, await makeAddress(op), '"another"')
      expect([response.status, await response.json()]).toEqual([
        412,
        expect.objectContaining({ code: 'PRECONDITION_FAILED' }),
      ])
    })

    test.each(named(changes))('%s that is refused changes nothing', async (_, op) => {
      const path = await makeAddress(op)
      const before = await (await send('GET', path)).text()
      await send(parseHttp(op.http).method, path, { name: 'changed' }, { 'If-Match': '"another"' })
      expect(await (await send('GET', path)).text()).toBe(before)
    })

    test.each(named(changes))('%s of an unchanged object is executed', async (_, op) => {
      const path = await makeAddress(op)
      const etag = (await send('GET', path)).headers.get('etag') ?? ''
      expect((await ask(op, path, etag)).status).toBeLessThan(300)
    })

    test.each(named(changes))('%s with If-Match: * is executed', async (_, op) => {
      expect((await ask(op, await makeAddress(op), '*')).status).toBeLessThan(300)
    })

    test.each(named(changes))('%s without a precondition is executed', async (_, op) => {
      expect((await ask(op, await makeAddress(op))).status).toBeLessThan(300)
    })

    test.each(named(changes))('%s of an absent object is 404, whatever the precondition', async (_, op) => {
      const path = parseHttp(op.http).path.replace('{id}', 'unknown')
      expect((await ask(op, path, '"another"')).status).toBe(404)
    })
  })
})
