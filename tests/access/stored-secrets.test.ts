import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { PASSWORD } from '../../testing/estates/identities.ts'
import {
  auditedSuite,
  isStored,
  jsonTo,
  loginTo,
  madeBy,
  perTest,
  SLOW_TEST_MS,
} from '../../testing/sign-in/security.ts'
import { cookieOf } from '../../testing/sign-in/sign-in.ts'

const { appFor, folderFor } = perTest()

describe('in one app', () => {
  const suite = auditedSuite()

  describe('the audit trail', () => {
    const Entries = z.array(
      z.object({ changes: z.string(), action: z.string(), resource: z.string(), request_id: z.string() }),
    )
    const entries = async () => Entries.parse(await (await suite.admin.request('GET', '/api/audit?limit=1000')).json())
    const entryOf = async ({ headers }: Response) => {
      const id = headers.get('x-request-id')
      return (await entries()).find(({ request_id }) => request_id === id)
    }

    test('keeps of a large body at most 10,240 bytes, and whole characters', async () => {
      // Each byte added in front moves the cut through every position within a character.
      for (const front of ['', 'x', 'xx', 'xxx']) {
        const items = Array.from({ length: 60 }, () => ({ op: 'delete', id: front + '🦔'.repeat(60) }))
        const response = await suite.admin.request('POST', '/api/devices/bulk', { operations: items })
        const { changes = '' } = (await entryOf(response)) ?? {}
        expect(Buffer.byteLength(changes)).toBeGreaterThan(10_200)
        expect(Buffer.byteLength(changes)).toBeLessThanOrEqual(10_240)
        expect(changes.isWellFormed() && !changes.includes('\ufffd')).toBe(true)
      }
    })

    test('holds no password and no secret', async () => {
      const secrets = ['plain-of-user', 'plain-of-login', 'plain-of-credential']
      const user = { username: 'secretive', password: secrets[0] }
      expect(await entryOf(await suite.admin.request('POST', '/api/users', user))).toMatchObject({ action: 'create' })
      expect(await entryOf(await loginTo(suite.app, 'secretive', secrets[1] ?? ''))).toMatchObject({ action: 'login' })
      const credential = { name: 'c', type: 'ssh_password', username: 'root', password: secrets[2] }
      expect(await entryOf(await suite.admin.request('POST', '/api/credentials', credential))).toMatchObject({
        resource: 'credential',
      })
      const text = JSON.stringify(await entries())
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    })

    test('is no formula in a spreadsheet', async () => {
      await loginTo(suite.app, '=1+1', 'whatever it is')
      const csv = await (await suite.admin.request('GET', '/api/audit/export?format=csv&action=login')).text()
      expect(csv).toContain(",'=1+1,")
      expect(csv).not.toContain(',=1+1')
    })

    test('knows nothing of reads, of /mcp and of /metrics', async () => {
      const before = (await entries()).length
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      const accept = { Accept: 'application/json, text/event-stream' }
      for (const response of [
        await suite.admin.request('GET', '/api/devices'),
        await suite.admin.request('GET', '/metrics'),
        await suite.admin.request('GET', '/api/users'),
        await suite.admin.request('POST', '/mcp', list, accept),
      ]) {
        expect(response.status).toBe(200)
        await response.text()
      }
      expect((await entries()).length).toBe(before)
      expect((await suite.admin.request('POST', '/api/devices', { id: 'case-39', name: 'x' })).status).toBe(201)
      expect((await entries()).length).toBe(before + 1)
    })
  })
})

test(
  'after all operations no file holds a password, a token, a key or a secret',
  async () => {
    const folder = await folderFor({ ENCRYPTION_KEY: 'cd'.repeat(32), AUDIT_ENABLED: 'true' })
    const server = await folder.start()
    const send = (path: string, headers: Record<string, string>, body: object) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const login = await send('/api/auth/login', {}, { username: 'admin', password: PASSWORD })
    expect(login.status).toBe(200)
    const cookie = cookieOf(login)
    const session = { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' }
    const key = z
      .object({ key: z.string() })
      .parse(await (await send('/api/keys', session, { name: 'for a script' })).json()).key
    const credential = { name: 'core', type: 'ssh_password', username: 'netadmin', password: 'plain-of-credential' }
    await madeBy(await send('/api/credentials', { Authorization: `Bearer ${key}` }, credential))
    const user = { username: 'grace', password: 'plain-of-grace' }
    await madeBy(await send('/api/users', session, user))
    expect((await send('/api/auth/login', {}, { ...user, password: 'plain-but-wrong' })).status).toBe(401)

    const secrets = {
      password: PASSWORD,
      session: cookie.slice(cookie.indexOf('=') + 1),
      key,
      firstKey: folder.key,
      credential: credential.password,
      user: user.password,
      wrong: 'plain-but-wrong',
      encryptionKey: 'cd'.repeat(32),
    }
    const stored = () =>
      Object.entries(secrets)
        .filter(([, secret]) => isStored(folder.dir, secret))
        .map(([name]) => name)
    // A value that is not secret is found, which proves that the search works.
    expect([isStored(folder.dir, 'netadmin'), stored()]).toEqual([true, []])
    await server.stop()
    expect([isStored(folder.dir, 'netadmin'), stored()]).toEqual([true, []])
  },
  SLOW_TEST_MS,
)

describe('a secret', () => {
  const KEY = '0a'.repeat(32)
  const SECRET = 'plain-of-case-40'
  const keyFile = (secret: string) => {
    const name = Bun.randomUUIDv7()
    return { name, type: 'ssh_key', username: 'root', private_key: secret, passphrase: 'p' }
  }

  test('is refused without ENCRYPTION_KEY, and leaves no trace', async () => {
    const app = await appFor({ env: { AUDIT_ENABLED: 'true' } })
    const admin = await app.as('admin')
    const credential = { name: 'c', type: 'ssh_password', username: 'root', password: SECRET }
    const response = await admin.request('POST', '/api/credentials', credential)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'password', message: expect.stringContaining('ENCRYPTION_KEY') }],
    })
    expect(await (await admin.request('GET', '/api/credentials')).json()).toEqual([])
    expect(isStored(app.config.dataDir, SECRET)).toBe(false)
  })

  test('keeps a server with another key from starting', async () => {
    const folder = await folderFor({ ENCRYPTION_KEY: KEY })
    const server = await folder.start()
    await madeBy(await jsonTo(server, folder, 'POST /api/credentials', keyFile(SECRET)))
    await server.stop()
    expect(isStored(folder.dir, SECRET)).toBe(false)
    const other = folder.start({ env: { ENCRYPTION_KEY: '0b'.repeat(32) } })
    await expect(other).rejects.toThrow('ENCRYPTION_KEY')
    const again = await folder.start()
    expect((await jsonTo(again, folder, 'GET /api/credentials')).status).toBe(200)
  })

  test('that was put into another row is never used', async () => {
    const app = await appFor({ env: { ENCRYPTION_KEY: KEY } })
    const admin = await app.as('admin')
    const made = async (secret: string) => madeBy(await admin.request('POST', '/api/credentials', keyFile(secret)))
    const [one, two] = [await made('first'), await made('second')]
    // The request needs the stored private key: it sets a new passphrase for it.
    const sendPassphrase = (id: string) => admin.request('PUT', `/api/credentials/${id}`, { passphrase: 'another' })
    expect((await sendPassphrase(one)).status).toBe(200)

    const stored = await app.db.read.selectFrom('credentials').select(['id', 'secret']).execute()
    const secretOf = (id: string) => stored.find((row) => row.id === id)?.secret ?? null
    await app.db.write(async ({ db }) => {
      for (const [id, from] of [
        [one, two],
        [two, one],
      ] as const)
        await db
          .updateTable('credentials')
          .set({ secret: secretOf(from) })
          .where('id', '=', id)
          .execute()
    })
    for (const id of [one, two]) {
      const response = await sendPassphrase(id)
      expect(await response.json()).toMatchObject({
        details: [{ field: 'private_key', message: expect.stringContaining('cannot be decrypted') }],
      })
      expect(response.status).toBe(400)
    }
  })
})
