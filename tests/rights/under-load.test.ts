// Rights are confirmed with each of many concurrent writes: other callers are unaffected, also if writes share a
// commit.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pause } from '../../src/base/runtime/pause.ts'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { createRole, createUser } from '../../testing/estates/identities.ts'
import { heldBody } from '../../testing/hostile/held-body.ts'
import { engines } from '../../testing/servers/servers.ts'
import { refusal } from '../../testing/sign-in/sign-in.ts'

const TIMEOUT_MS = 60_000
const QUICK = 'quick to check'
const WRITERS = 16
const WRITES = 15

describe.each(engines())('beside others, on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, passwords: createPasswords({ cost: 4 }) })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  test(
    '16 writers continue while users sign in and roles change; a demoted one writes nothing more',
    async () => {
      const writers = await Promise.all(Array.from({ length: WRITERS }, () => app.as('operator')))
      const [first, ...others] = writers
      if (!first) throw new Error('there are writers')
      await createUser(app.db, { username: 'signs in', roles: ['viewer'], password: QUICK })
      const role = await createRole(app.db, { name: 'changes', permissions: ['devices:list'] })
      let isOver = false
      const disturbing = (async () => {
        for (let n = 0; !isOver; n++) {
          await app.guest('POST', '/api/auth/login', { username: 'signs in', password: QUICK })
          await admin.api.roles.update({ id: role.id, permissions: n % 2 === 0 ? [] : ['devices:list'] })
        }
      })()
      const statusesOf = async (writer: TestCaller, count: number): Promise<number[]> => {
        const statuses: number[] = []
        for (let n = 0; n < count; n++) {
          const answer = await writer.request('POST', '/api/devices', { name: `${writer.userId} ${n}` })
          await answer.text()
          statuses.push(answer.status)
        }
        return statuses
      }
      const writing = Promise.all(others.map((writer) => statusesOf(writer, WRITES)))
      // Some are in progress when the first rejection arrives.
      const underWay = Array.from({ length: WRITES }, (_, n) =>
        first.request('POST', '/api/devices', { name: `${first.userId} under way ${n}` }),
      )
      const demoted = admin.api.users.update({ id: first.userId, roles: ['viewer'] }).then(() => statusesOf(first, 3))
      expect(await demoted).toEqual([403, 403, 403])
      expect((await writing).flat()).toEqual(Array(others.length * WRITES).fill(201))
      isOver = true
      await disturbing
      const written = (await Promise.all(underWay)).filter(({ status }) => status === 201).length
      const names = (await admin.api.devices.list({})).filter(({ name }) => name.startsWith(`${first.userId} `))
      expect(names.length).toBe(written)
    },
    TIMEOUT_MS,
  )

  // On PostgreSQL neither waits for the other, so either order is correct. rights-between-processes.test.ts tests a
  // write that waits for a lock there.
  if (dialect !== 'sqlite') return
  test('a write that waited behind the demotion of its caller, and shares its commit, writes nothing', async () => {
    const writer = await app.as('operator')
    const free = Promise.withResolvers<void>()
    // The following writes wait, in this order, and then share a commit.
    const before = app.db.write(() => free.promise)
    const held = heldBody(app.fetch, {
      method: 'POST',
      path: '/api/devices',
      headers: { Authorization: `Bearer ${writer.key}` },
      body: { name: writer.userId },
    })
    await held.isRead
    const demotion = app.db.write((tx) => tx.db.deleteFrom('grants').where('user_id', '=', writer.userId).execute())
    const answer = held.finish()
    for (let turns = 0; turns < 50; turns++) await pause()
    free.resolve()
    await Promise.all([before, demotion])
    expect(await refusal(await answer)).toEqual([403, 'FORBIDDEN'])
    expect((await admin.api.devices.list({})).map(({ name }) => name)).not.toContain(writer.userId)
  })
})
