// A secret never appears in the database, in an answer or in the log.

import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { type TestApp, type TestOptions, testApp } from '../../../testing/app/app.ts'
import { ask, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { getDataFile } from '../../app/compose.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { createSecrets, SealedValueError } from '../../base/security/crypto.ts'
import { openCredential } from './credentials.ts'

const KEY = 'd0'.repeat(32)
const secrets = createSecrets({ key: KEY, previous: [] })
/** The first app on PostgreSQL waits for the server to start. */
const TIMEOUT_MS = 60_000

const DRAFTS = [
  { name: 'a', type: 'ssh_password', username: 'root', password: 'plain-password' },
  { name: 'b', type: 'ssh_key', username: 'root', private_key: 'plain-private-key', passphrase: 'plain-passphrase' },
  { name: 'c', type: 'snmp_v2c', community: 'plain-community' },
  {
    ...{ name: 'd', type: 'snmp_v3', username: 'u', auth_protocol: 'SHA', priv_protocol: 'AES' },
    ...{ auth_password: 'plain-auth', priv_password: 'plain-priv' },
  },
]

describe.each(onSqlite())('secrets of credentials on %s', (dialect) => {
  const apps: TestApp[] = []
  const start = async (options: TestOptions = {}) => {
    const app = await testApp({ dialect, ...options })
    apps.push(app)
    return app
  }
  const withKey = (options: TestOptions = {}) => start({ ...options, env: { ENCRYPTION_KEY: KEY } })
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close()
  }, TIMEOUT_MS)

  const createAll = async (app: TestApp): Promise<string[]> => {
    const admin = await app.as('admin')
    const made: string[] = []
    for (const draft of DRAFTS) {
      const { status, body } = await ask(admin, 'POST /api/credentials', draft)
      expect(status).toBe(201)
      made.push((body as { id: string }).id) // The answer of a 201 is a credential.
    }
    return made
  }

  /** Returns every row of the table as text, and on SQLite the bytes of the files. */
  const stored = async (app: TestApp): Promise<string> => {
    const { rows } = await sql`SELECT * FROM credentials`.execute(app.db.read)
    const texts = [JSON.stringify(rows)]
    if (dialect === 'sqlite') {
      const beside = new Database(getDataFile(app.config))
      beside.run('PRAGMA wal_checkpoint(TRUNCATE)')
      beside.close()
      const files = ['', '-wal'].map((ending) => getDataFile(app.config) + ending)
      texts.push(...files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'latin1')))
    }
    return texts.join('\n')
  }

  test(
    'are encrypted in the database',
    async () => {
      const app = await withKey()
      await createAll(app)
      const text = await stored(app)
      expect(text).toContain(`v1.${secrets.currentKeyId}.`)
      expect(text).not.toContain('plain-')
    },
    TIMEOUT_MS,
  )

  test('are in no answer and no log entry', async () => {
    const entries: string[] = []
    const log = createLogger({ level: 'debug', format: 'json', write: (entry) => entries.push(entry) })
    const app = await withKey({ log })
    const [first = '', second = ''] = await createAll(app)
    const admin = await app.as('admin')
    const answers: string[] = []
    const see = async (method: string, path: string, body?: unknown) =>
      answers.push(await (await admin.request(method, path, body)).text())
    await see('POST', '/api/credentials', DRAFTS[0])
    await see('POST', '/api/credentials', { ...DRAFTS[0], community: 'plain-community' })
    await see('POST', '/api/credentials', { ...DRAFTS[0], password: ['plain-password'] })
    await see('POST', '/api/credentials', { ...DRAFTS[0], password: `plain-${'x'.repeat(2000)}` })
    await see('PUT', `/api/credentials/${first}`, { password: 'plain-new' })
    await see('PUT', `/api/credentials/${first}`, { passphrase: 'plain-new' })
    // A decryption failure is logged.
    await app.db.write(({ db }) =>
      db.updateTable('credentials').set({ secret: 'plain-text in the column' }).where('id', '=', second).execute(),
    )
    await see('PUT', `/api/credentials/${second}`, { passphrase: 'plain-new' })
    await see('POST', '/api/secrets/rotate')
    for (const path of [`credentials/${first}`, `credentials/${second}`, 'credentials', 'openapi.json'])
      await see('GET', `/api/${path}`)
    expect(answers.every((answer) => answer !== '')).toBe(true)
    expect(answers.join('\n')).not.toContain('plain-')
    expect(entries.join('\n')).toContain(`credentials.secret of ${second} holds no sealed value`)
    expect(entries.join('\n')).not.toContain('plain-')
  })

  test('a secret opens only in its own row', async () => {
    const app = await withKey()
    const [first = '', second = ''] = await createAll(app)
    const open = (id: string) => openCredential({ db: app.db.read }, secrets, id)
    expect((await open(first)).secret).toEqual({ password: 'plain-password' })
    const secretOf = async (id: string) =>
      (await app.db.read.selectFrom('credentials').select('secret').where('id', '=', id).executeTakeFirstOrThrow())
        .secret
    const swapped = { [first]: await secretOf(second), [second]: await secretOf(first) }
    await app.db.write(async ({ db }) => {
      for (const [id, secret] of Object.entries(swapped))
        await db.updateTable('credentials').set({ secret }).where('id', '=', id).execute()
    })
    await expect(open(first)).rejects.toBeInstanceOf(SealedValueError)
    await expect(open(second)).rejects.toBeInstanceOf(SealedValueError)
  })

  test('that were damaged can be entered again, all of them at once', async () => {
    const app = await withKey()
    const admin = await app.as('admin')
    const [, id = ''] = await createAll(app)
    await app.db.write(({ db }) =>
      db.updateTable('credentials').set({ secret: 'damaged' }).where('id', '=', id).execute(),
    )
    const update = (patch: object) => ask(admin, `PUT /api/credentials/${id}`, patch)
    expect(await update({ passphrase: '' })).toMatchObject(refusal('private_key'))
    expect(await update({ private_key: 'new' })).toMatchObject(refusal('passphrase'))
    expect(await update({ private_key: 'new', passphrase: '' })).toMatchObject({ status: 200 })
    expect((await openCredential({ db: app.db.read }, secrets, id)).secret).toEqual({ private_key: 'new' })
  })

  test('are refused without a key, and nothing is stored', async () => {
    const app = await start()
    const admin = await app.as('admin')
    const refused: unknown[] = []
    for (const draft of DRAFTS) {
      const { status, body } = await ask(admin, 'POST /api/credentials', draft)
      // Every refusal has this form.
      const { code, details } = body as { code: string; details: { field: string; message: string }[] }
      expect([status, code]).toEqual([400, 'VALIDATION_ERROR'])
      for (const { message } of details) expect(message).toContain('ENCRYPTION_KEY')
      refused.push(details.map(({ field }) => field))
    }
    expect(refused).toEqual([
      ['password'],
      ['private_key', 'passphrase'],
      ['community'],
      ['auth_password', 'priv_password'],
    ])
    expect((await ask(admin, 'GET /api/credentials')).body).toEqual([])
    expect(await stored(app)).not.toContain('plain-')
  })
})
