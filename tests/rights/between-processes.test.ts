// Rights are confirmed with each write, also if another process revokes them: another instance, a command on the host,
// or a separate session store. Includes concurrent writes over a real socket.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { createUser, keyFor } from '../../testing/estates/identities.ts'
import { heldBody, whileHeld } from '../../testing/hostile/held-body.ts'
import { type Instance, instanceBeside } from '../../testing/servers/instances.ts'
import { engines, valkey } from '../../testing/servers/servers.ts'
import { cookieOf, refusal } from '../../testing/sign-in/sign-in.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000
const QUICK = 'quick to check'
const quick = () => createPasswords({ cost: 4 })
let people = 0

const writerIn = async (app: TestApp) => {
  const username = `writer-${++people}`
  const { id } = await createUser(app.db, { username, roles: ['operator'], password: QUICK })
  const key = await keyFor(app.db, id)
  return { id, username, headers: { Authorization: `Bearer ${key}` } }
}
type Writer = Awaited<ReturnType<typeof writerIn>>
const device = ({ username: name, headers }: { username: string; headers: Record<string, string> }) => ({
  method: 'POST',
  path: '/api/devices',
  headers,
  body: { name },
})
const namesIn = async (admin: TestCaller) => (await admin.api.devices.list({})).map(({ name }) => name)

if (engines().includes('postgres'))
  describe('with two instances on PostgreSQL', () => {
    let app: TestApp
    let admin: TestCaller
    let other: Instance
    beforeAll(async () => {
      app = await testApp({ dialect: 'postgres', passwords: quick() })
      admin = await app.as('admin')
      other = await instanceBeside(app, { passwords: quick() })
    }, TIMEOUT_MS)
    afterAll(async () => {
      await other.close()
      await app.close()
    }, TIMEOUT_MS)

    test.each([
      ['demoted', (writer: Writer) => admin.api.users.update({ id: writer.id, roles: ['viewer'] }), [403, 'FORBIDDEN']],
      ['deleted', (writer: Writer) => admin.api.users.delete({ id: writer.id }), [401, 'UNAUTHORIZED']],
    ] as const)('a caller who is %s at one instance writes nothing at the other', async (_, move, expected) => {
      const writer = await writerIn(app)
      const answer = await whileHeld(
        async (request) => other.plat.fetch(request),
        device(writer),
        () => move(writer),
      )
      expect(await refusal(answer)).toEqual([...expected])
      expect(await namesIn(admin)).not.toContain(writer.username)
    })

    test('a caller who is demoted while the write waits for a lock writes nothing', async () => {
      const writer = await writerIn(app)
      const { id } = await admin.api.devices.create({ name: `locked-${writer.username}` })
      const release = Promise.withResolvers<void>()
      const locking = Promise.withResolvers<void>()
      const holder = app.db.write(async (tx) => {
        await tx.db.updateTable('devices').set({ name: 'held' }).where('id', '=', id).returning('id').execute()
        locking.resolve()
        await release.promise
        throw new Error('undone')
      })
      await locking.promise
      const answer = other.fetch('PUT', `/api/devices/${id}`, writer.headers, { description: 'written' })
      const waiting = () =>
        app.db.read
          .selectFrom('pg_stat_activity' as never)
          .select('wait_event' as never)
          .where('wait_event_type' as never, '=', 'Lock' as never)
          .execute()
      await until('the write waits', async () => (await waiting()).length > 0 || undefined)
      await admin.api.users.update({ id: writer.id, roles: ['viewer'] })
      release.resolve()
      await holder.catch(() => {})
      expect(await refusal(await answer)).toEqual([403, 'FORBIDDEN'])
      expect((await admin.api.devices.get({ id })).description).toBe('')
    })
  })

describe.each(engines())('with sessions in Valkey, on %s', (dialect) => {
  let store: Awaited<ReturnType<typeof valkey>>
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    store = await valkey()
    const env = { SESSION_STORE_TYPE: 'valkey', VALKEY_URL: store.url }
    app = await testApp({ dialect, passwords: quick(), env })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await store.stop()
  }, TIMEOUT_MS)

  const signedIn = async () => {
    const writer = await writerIn(app)
    const { username } = writer
    const cookie = cookieOf(await app.guest('POST', '/api/auth/login', { username, password: QUICK }))
    return { ...writer, headers: { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' } }
  }

  test('a session that has ended a moment ago writes nothing', async () => {
    const person = await signedIn()
    const held = heldBody(app.fetch, device(person))
    await held.isRead
    await app.guest('POST', '/api/auth/logout', undefined, person.headers)
    // An answer of the session store is cached for a tenth of a second.
    const ended = performance.now()
    await until('a tenth of a second has passed', () => performance.now() - ended > 100 || undefined)
    expect(await refusal(await held.finish())).toEqual([401, 'UNAUTHORIZED'])
    expect(await namesIn(admin)).not.toContain(person.username)
  })

  test('a session of a user with a new password writes nothing', async () => {
    const person = await signedIn()
    const answer = await whileHeld(app.fetch, device(person), () =>
      admin.api.users.resetPassword({ id: person.id, new_password: 'another long password' }),
    )
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    expect(await namesIn(admin)).not.toContain(person.username)
  })
})

/** A request on a socket that sends the body in two pieces. */
const dripping = (url: string, headers: string, body: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  const answer = new Promise<string>((resolve, reject) => {
    socket.on('data', (data) => {
      text += data.toString()
    })
    socket.on('end', () => resolve(text)).on('error', reject)
  })
  const head = `POST /api/devices HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body.slice(0, 5))
  return { finish: () => socket.write(body.slice(5)), answer }
}

describe('a server and a command on its host', () => {
  let folder: ServerFolder
  beforeAll(async () => {
    folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
  }, TIMEOUT_MS)
  afterAll(() => folder.remove(), TIMEOUT_MS)

  test(
    'a caller who is evicted or deleted while a body arrives slowly writes nothing',
    async () => {
      const server = await folder.start()
      const authorization = { Authorization: `Bearer ${folder.key}` }
      const asAdmin = (method: string, path: string, body?: unknown, headers: Record<string, string> = authorization) =>
        fetch(new URL(path, server.url), {
          method,
          headers: { ...headers, 'Content-Type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      const made = async (response: Response) => (await response.json()) as { id: string; key: string }
      const writer = async (username: string) => {
        const draft = { username, password: 'correct horse battery', roles: ['admin'] }
        const { id } = await made(await asAdmin('POST', '/api/users', draft))
        const { key } = await made(await asAdmin('POST', '/api/keys', { name: 'k', user_id: id }))
        return { id, key }
      }
      const [evicted, deleted] = [await writer('evicted'), await writer('deleted')]
      const drips = [evicted, deleted].map(({ key }, n) =>
        dripping(server.url, `Authorization: Bearer ${key}\r\n`, JSON.stringify({ name: `dripped-${n}` })),
      )
      // The server has cached both keys.
      for (const { key } of [evicted, deleted])
        expect((await asAdmin('GET', '/api/auth/me', undefined, { Authorization: `Bearer ${key}` })).status).toBe(200)
      const command = Bun.spawn(
        [
          process.execPath,
          join(import.meta.dir, '../../src/main.ts'),
          'user',
          'evict',
          'evicted',
          '--data-dir',
          folder.dir,
        ],
        { stdout: 'ignore', stderr: 'pipe', env: { PATH: process.env.PATH ?? '', DATA_DIR: folder.dir } },
      )
      expect([await command.exited, await new Response(command.stderr).text()]).toEqual([0, ''])
      expect((await asAdmin('DELETE', `/api/users/${deleted.id}`)).status).toBe(204)
      for (const { finish } of drips) finish()
      const heads = (await Promise.all(drips.map(({ answer }) => answer))).map((text) => text.split('\r\n')[0])
      expect(heads).toEqual(['HTTP/1.1 401 Unauthorized', 'HTTP/1.1 401 Unauthorized'])
      const devices = (await (await asAdmin('GET', '/api/devices')).json()) as unknown[]
      expect(devices).toEqual([])
      await server.stop()
    },
    TIMEOUT_MS,
  )
})
