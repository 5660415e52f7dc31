// No new username is similar to another, and none contains invisible characters. Existing names stay valid.
import { describe, expect, test } from 'bun:test'
import { type Answer, people, QUICK } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { signInApp } from '../../../testing/sign-in/sign-in.ts'
import { ensureFirstAdmin } from './first-admin.ts'
import { updateLooks } from './usernames.ts'

const MARKS: [string, string][] = [
  ['a right-to-left override', '\u202e'],
  ['a left-to-right mark', '\u200e'],
  ['an isolate', '\u2066'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a tag', '\u{e0041}'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
]
const refusal = (status: number, code: string) => ({ status, body: { code, details: [{ field: 'username' }] } })
const badName = refusal(400, 'VALIDATION_ERROR')
const taken = refusal(409, 'ALREADY_EXISTS')

describe.each(onSqlite())('usernames on %s', (dialect) => {
  const all = people(dialect)
  let count = 0
  /** Returns a name that no other test uses, and that is similar to none. */
  const fresh = () => `person ${'abcdefghjk'[++count % 10]}${'pqrstvwxyz'[Math.floor(count / 10)]}`
  const create = (username: string): Promise<Answer> => all.admin.ask('POST /api/users', { username, password: QUICK })
  const rename = (id: string, username: string) => all.admin.ask(`PUT /api/users/${id}`, { username })
  const nameOf = ({ body }: Answer) => (body as { username: string }).username
  const idOf = ({ body }: Answer) => (body as { id: string }).id
  const login = async (username: string) => (await all.app.login(username, QUICK)).status

  describe.each([
    ['created', (name: string) => create(name)],
    ['renamed', async (name: string) => rename(idOf(await create(fresh())), name)],
  ] as const)('a user is not %s', (_, attempt) => {
    test.each(MARKS)('with %s in the name', async (_, mark) => {
      const name = fresh()
      const answers = [
        await attempt(`${name}${mark}x`),
        await attempt(`${mark}${name}`),
        await attempt(`${name}${mark}`),
      ]
      expect(answers).toMatchObject([badName, badName, badName])
      expect(answers[0]?.body).toMatchObject({ error: expect.stringContaining('U+') })
    })

    test.each([
      ['a tab', 'a\tb'],
      ['a Hangul filler alone', '\u3164'],
      ['spaces alone', ' \u00a0 '],
    ])('with %s for a name', async (_, name) => {
      expect(await attempt(name)).toMatchObject(badName)
    })

    test('with a name that looks like an existing one', async () => {
      const name = fresh()
      await create(`${name} m 1`)
      const look = [
        `${name} rn 1`,
        `${name} m l`,
        `${name.replace('p', 'р')} m 1`,
        `${name.toUpperCase().replace('P', 'Р')} M 1`,
      ]
      for (const alike of look) expect(await attempt(alike)).toMatchObject(taken)
    })

    test('with that name in the message', async () => {
      const name = fresh()
      await create(`${name} 0`)
      expect((await attempt(`${name} O`)).body).toMatchObject({ error: expect.stringContaining(`"${name} 0"`) })
    })
  })

  test('are stored normalized, and sign in as they were typed', async () => {
    const name = fresh()
    const made = await create(`\uff21da ${name} \u2460`)
    expect(nameOf(made)).toBe(`Ada ${name} 1`)
    expect([await login(`\uff21da ${name} \u2460`), await login(`ada ${name} 1`)]).toEqual([200, 200])
    expect(await create(`Ada ${name} \u00b9`)).toMatchObject(taken)
  })

  test('of 255 characters at most, once they are normalized', async () => {
    expect(await create('\ufdfa'.repeat(15))).toMatchObject(badName)
  })

  test('that look alike are given to one of several concurrent requests', async () => {
    const name = fresh()
    const alike = ['mmm', 'rnmm', 'mrnm', 'mmrn', 'rnrnm', 'rnrnrn'].map((end) => `${name} ${end}`)
    const statuses = (await Promise.all(alike.map(create))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409, 409, 409, 409, 409])
  })

  test('that look alike cannot result from concurrent renames', async () => {
    const name = fresh()
    const users = await Promise.all([1, 2, 3].map(() => create(fresh())))
    const ends = ['mm', 'rnm', 'rnrn']
    const answers = await Promise.all(users.map((user, i) => rename(idOf(user), `${name} ${ends[i]}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  test('are free again when their user is renamed or deleted', async () => {
    const name = fresh()
    const user = await create(`${name} 1`)
    await rename(idOf(user), fresh())
    const other = await create(`${name} l`)
    expect(other.status).toBe(201)
    await all.admin.ask(`DELETE /api/users/${idOf(other)}`)
    expect((await create(`${name} I`)).status).toBe(201)
  })

  test('may be changed to one that looks like the present one', async () => {
    const name = fresh()
    const user = await create(`${name} 1`)
    expect((await rename(idOf(user), `${name} l`)).status).toBe(200)
  })

  describe('of before', () => {
    /** Stores users like an earlier version. */
    const earlier = async (...names: string[]) => {
      const made = []
      for (const username of names) made.push(await all.person({ username }))
      const ids = made.map(({ id }) => id)
      await all.app.db.write(({ db }) =>
        db.updateTable('users').set({ username_look_upper: null }).where('id', 'in', ids).execute(),
      )
      return made
    }

    test('sign in as before, each as itself: look-alikes, marks and other forms', async () => {
      const name = fresh()
      const names = [`${name} m`, `${name} rn`, `${name} \u202em`, `\uff21${name}`, `A${name}`]
      const made = await earlier(...names)
      for (const [i, username] of names.entries()) {
        const response = await all.app.login(username, QUICK)
        expect([response.status, await response.json()]).toMatchObject([200, { user: { id: made[i]?.id, username } }])
      }
    })

    test('stay when something else is changed, also when they are sent along', async () => {
      const name = fresh()
      const [user] = await earlier(`${name} \u200bm`, `${name} rn`)
      const { body } = await all.admin.ask(`GET /api/users/${user?.id}`)
      const { username } = body as { username: string }
      const changed = await all.admin.ask(`PUT /api/users/${user?.id}`, { username, full_name: 'Ada' })
      expect([changed.status, nameOf(changed)]).toEqual([200, `${name} \u200bm`])
    })

    test('keep new ones from looking like them, before and after they are settled', async () => {
      const name = fresh()
      await earlier(`${name} m`)
      expect(await create(`${name} rn`)).toMatchObject(taken)
      await updateLooks(all.app.db, { warn: () => {} })
      const left = all.app.db.read.selectFrom('users').select('username').where('username_look_upper', 'is', null)
      expect(await left.execute()).toEqual([])
      expect(await create(`${name} rn`)).toMatchObject(taken)
    })

    test('are computed again when the table is another', async () => {
      const name = fresh()
      const [user] = await earlier(`${name} m`)
      const look = async () =>
        (
          await all.app.db.read
            .selectFrom('users')
            .selectAll()
            .where('id', '=', user?.id ?? '')
            .execute()
        )[0]?.username_look_upper
      for (const old of ['17.0.0 x', '19.0.0 x']) {
        await all.app.db.write(({ db }) =>
          db.updateTable('users').set({ username_look_upper: old }).where('username', '=', `${name} m`).execute(),
        )
        expect(await create(`${name} rn`)).toMatchObject(taken)
        await updateLooks(all.app.db, { warn: () => {} })
        expect(await look()).toStartWith('18.0.0 ')
      }
    })
  })
})

describe.each(onSqlite())('the first admin on %s', (dialect) => {
  test.each([
    ['\uff21da', 'Ada'],
    ['ad\u200bmin', undefined],
  ])('configured as %p is called %p', async (initialAdminUsername, expected) => {
    const { db, config, passwords, now, close } = await signInApp(dialect)
    const made = ensureFirstAdmin({
      db,
      config: { ...config, initialAdminUsername, initialAdminPassword: QUICK },
      passwords,
      now,
    })
    const outcome = await made.then(
      (admin) => admin?.username,
      (error: Error) => error.message,
    )
    await close()
    if (expected === undefined) expect(outcome).toContain('INITIAL_ADMIN_USERNAME: is not a valid username')
    else expect(outcome).toBe(expected)
  })
})
