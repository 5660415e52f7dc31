/**
 * The rights of an import are confirmed with its writes: a user who loses them during the import has imported nothing.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { pause } from '../../src/base/runtime/pause.ts'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { createRole, createUser, keyFor } from '../../testing/estates/identities.ts'
import { whileHeld } from '../../testing/hostile/held-body.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { cookieOf, refusal } from '../../testing/sign-in/sign-in.ts'

const START_MS = Date.parse('2026-11-21T12:00:00.000Z')
const HOUR_MS = 3_600_000
const QUICK = 'quick to check'
const IMPORTER = ['datacenters:create', 'datacenters:update']
/** Enough rows for an import of several seconds. */
const ROWS = 30_000

type Person = { readonly id: string; readonly roleId: string; readonly headers: Readonly<Record<string, string>> }
type Line = { readonly progress?: object; readonly result?: object; readonly error?: { readonly code: string } }

/** Returns the lines of an answer, one after another. */
const linesOf = (response: Response) => {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader()
  let open = ''
  let last: Line | undefined
  /** Returns the next line; undefined at the end. */
  const next = async (): Promise<Line | undefined> => {
    for (;;) {
      const end = open.indexOf('\n')
      if (end !== -1) {
        // The server's answer has the type of the contract.
        last = JSON.parse(open.slice(0, end)) as Line
        open = open.slice(end + 1)
        return last
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      open += value
    }
  }
  return {
    next,
    last: async (): Promise<Line | undefined> => {
      while (await next());
      return last
    },
    leave: () => reader.cancel(),
  }
}

describe.each(onSqlite())('on %s', (dialect) => {
  const clock = { ms: START_MS }
  let app: TestApp
  let admin: TestCaller
  let people = 0

  beforeAll(async () => {
    app = await testApp({ dialect, now: () => new Date(clock.ms), passwords: createPasswords({ cost: 4 }) })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())
  beforeEach(() => {
    clock.ms = START_MS
  })

  const someone = async ({ withSession = false, expiresAt = '' } = {}): Promise<Person> => {
    const username = `importer-${++people}`
    const role = await createRole(app.db, { name: username, permissions: IMPORTER })
    const { id } = await createUser(app.db, { username, roles: [role.id], password: QUICK })
    if (withSession) {
      const cookie = cookieOf(await app.guest('POST', '/api/auth/login', { username, password: QUICK }))
      return { id, roleId: role.id, headers: { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' } }
    }
    const key = await keyFor(app.db, id, expiresAt === '' ? {} : { expiresAt })
    return { id, roleId: role.id, headers: { Authorization: `Bearer ${key}` } }
  }

  const path = '/api/estate/import?resource=datacenters'
  const rows = (person: Person, count = 1) => Array.from({ length: count }, (_, i) => ({ name: `${person.id} ${i}` }))
  const post = ({ headers }: Person, body: unknown) => app.guest('POST', path, body, headers)
  const imported = async (): Promise<number> => (await admin.api.datacenters.list({})).length

  describe('while its body arrives slowly', () => {
    const importing = (person: Person, move: (person: Person) => Promise<unknown>, query = '') => {
      const { headers } = person
      const asked = { method: 'POST', path: `${path}${query}`, headers, body: rows(person) }
      return whileHeld(app.fetch, asked, () => move(person))
    }
    const demoted = ({ id }: Person) => admin.api.users.update({ id, roles: [] })
    const deleted = ({ id }: Person) => admin.api.users.delete({ id })
    const halved = ({ roleId }: Person) => admin.api.roles.update({ id: roleId, permissions: ['datacenters:create'] })
    const loggedOut = ({ headers }: Person) => app.guest('POST', '/api/auth/logout', undefined, headers)

    test.each([
      ['its user is demoted: 403', demoted, [403, 'FORBIDDEN'], {}, ''],
      ['its user is demoted, in a dry run: 403', demoted, [403, 'FORBIDDEN'], {}, '&dry_run=true'],
      ['the role loses one of the permissions: 403', halved, [403, 'FORBIDDEN'], {}, ''],
      ['its user is deleted: 401', deleted, [401, 'UNAUTHORIZED'], {}, ''],
      ['its session is ended: 401', loggedOut, [401, 'UNAUTHORIZED'], { withSession: true }, ''],
    ] as const)('%s', async (_, move, expected, how, query) => {
      expect(await refusal(await importing(await someone(how), move, query))).toEqual([...expected])
      expect(await imported()).toBe(0)
    })

    test('another user is deleted: it is imported', async () => {
      const other = await someone()
      const answer = await importing(await someone(), () => deleted(other), '&dry_run=true')
      expect(await linesOf(answer).last()).toMatchObject({ result: { created: 1 } })
    })
  })

  /** Returns the last line of an import of many rows, during which `move` runs. */
  const movedAmid = async (person: Person, move: () => Promise<unknown> | undefined): Promise<Line | undefined> => {
    const answer = await post(person, rows(person, ROWS))
    expect(answer.status).toBe(200)
    const lines = linesOf(answer)
    await lines.next()
    await move()
    return lines.last()
  }

  test('its key expires amid its rows: the last line says so, and nothing is imported', async () => {
    const person = await someone({ expiresAt: new Date(START_MS + HOUR_MS).toISOString() })
    const last = await movedAmid(person, () => {
      clock.ms += 2 * HOUR_MS
      return undefined
    })
    expect(last).toMatchObject({ error: { code: 'UNAUTHORIZED' } })
    expect(await imported()).toBe(0)
  })

  // No other transaction commits while one is open if there is one writer.
  describe.if(dialect === 'postgres')('between its rows', () => {
    test.each([
      ['its user is demoted', (id: string) => admin.api.users.update({ id, roles: [] }), 'FORBIDDEN'],
      ['its user is deleted', (id: string) => admin.api.users.delete({ id }), 'UNAUTHORIZED'],
    ])('%s: the last line says so, and nothing is imported', async (_, move, code) => {
      const person = await someone()
      expect(await movedAmid(person, () => move(person.id))).toMatchObject({ error: { code } })
      expect(await imported()).toBe(0)
    })
  })

  test.if(dialect === 'sqlite')(
    'its user is demoted while it waits for another one: the last line says so',
    async () => {
      const [first, second] = [await someone(), await someone()]
      const before = linesOf(await post(first, rows(first, ROWS)))
      await before.next()
      // Both wait for the first import, the demotion before the second one.
      const demotion = admin.api.users.update({ id: second.id, roles: [] })
      for (const _ of Array(20)) await pause()
      const answer = await post(second, rows(second))
      await before.leave()
      expect([answer.status, await linesOf(answer).last()]).toMatchObject([200, { error: { code: 'FORBIDDEN' } }])
      await demotion
      expect(await imported()).toBe(0)
    },
  )
})
