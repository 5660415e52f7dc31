// Starts with the right key, a wrong one, none, and that of dev mode.
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { restart } from '../../../testing/app/restart.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { computeKeyId, createSecrets } from '../../base/security/crypto.ts'
import { openCredential } from '../credentials/credentials.ts'
import { getDevKeyFile } from './dev-key.ts'
import { openSecrets } from './open-secrets.ts'
import { SecretKeyError } from './secret-key-error.ts'

const OLD = 'a7'.repeat(32)
const NEW = 'b8'.repeat(32)
const TIMEOUT_MS = 60_000

const CREDENTIAL = { name: 'c', type: 'snmp_v2c', community: 'cc' } as const

describe.each(onSqlite())('the start on %s', (dialect) => {
  const apps: TestApp[] = []
  const start = async (env: Record<string, string>) => {
    const app = await testApp({ dialect, env })
    apps.push(app)
    return app
  }
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close()
  }, TIMEOUT_MS)

  const entries: string[] = []
  const log = createLogger({ level: 'info', format: 'text', write: (entry) => entries.push(entry) })
  const open = ({ db, config }: TestApp, key: string | undefined, previous: readonly string[] = []) => {
    entries.length = 0
    return openSecrets({ db, config: { ...config, encryptionKey: key, encryptionKeyPrevious: previous }, log })
  }
  const store = async (app: TestApp) => (await (await app.as('admin')).api.credentials.create(CREDENTIAL)).id

  test(
    'with the same key goes on',
    async () => {
      const app = await start({ ENCRYPTION_KEY: OLD })
      const id = await store(app)
      const secrets = await open(app, OLD)
      expect((await openCredential({ db: app.db.read }, secrets, id)).secret).toEqual({ community: 'cc' })
      expect(entries).toEqual([])
    },
    TIMEOUT_MS,
  )

  test('with another key is refused, even with nothing stored', async () => {
    const app = await start({ ENCRYPTION_KEY: OLD })
    const refused = open(app, NEW)
    await expect(refused).rejects.toBeInstanceOf(SecretKeyError)
    await expect(refused).rejects.toThrow('ENCRYPTION_KEY is not the key of this database')
    await expect(refused).rejects.toThrow(computeKeyId(OLD))
    await expect(refused).rejects.not.toThrow(OLD)
    await open(app, OLD)
  })

  test('of the whole product is refused as well', async () => {
    const app = await start({ ENCRYPTION_KEY: OLD })
    await expect(restart(app, { encryptionKey: NEW })).rejects.toBeInstanceOf(SecretKeyError)
  })

  test('with another key goes on if the old one is among the previous', async () => {
    const app = await start({ ENCRYPTION_KEY: OLD })
    const id = await store(app)
    const secrets = await open(app, NEW, [OLD])
    expect((await openCredential({ db: app.db.read }, secrets, id)).secret).toEqual({ community: 'cc' })
  })

  test('the start with only a new key is refused while one value still needs the old one', async () => {
    const app = await start({})
    const key = await open(app, NEW)
    expect(key.isEnabled).toBe(true)
    await app.db.write(({ db }) =>
      db
        .insertInto('credentials')
        .values({
          ...{ id: 'left', name: 'x', name_key: 'x', name_order: '', type: 'snmp_v2c', username: '', description: '' },
          ...{ auth_protocol: 'none', priv_protocol: 'none', device_id: null, network_id: null },
          secret: createSecrets({ key: OLD, previous: [] }).seal(
            { table: 'credentials', column: 'secret', id: 'left' },
            '{}',
          ),
          ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
        })
        .execute(),
    )
    await expect(open(app, NEW)).rejects.toThrow(computeKeyId(OLD))
  })

  test('without a key continues and logs the consequence', async () => {
    const app = await start({})
    await open(app, undefined)
    expect(entries.join()).toContain('secrets cannot be stored')
  })

  test('without a key says so when there are secrets, which a wrong key is still refused for', async () => {
    const app = await start({ ENCRYPTION_KEY: OLD })
    await store(app)
    await open(app, undefined)
    expect(entries.join()).toContain('WARN')
    await expect(open(app, NEW)).rejects.toBeInstanceOf(SecretKeyError)
    await open(app, OLD)
  })

  test('with a new key after all secrets of a lost one were deleted', async () => {
    const app = await start({ ENCRYPTION_KEY: OLD })
    const id = await store(app)
    const { api } = await app.as('admin')
    await open(app, undefined)
    await api.credentials.delete({ id })
    expect((await open(app, NEW)).currentKeyId).toBe(computeKeyId(NEW))
    await expect(open(app, OLD)).rejects.toBeInstanceOf(SecretKeyError)
  })

  test('with an altered check value is refused', async () => {
    const app = await start({ ENCRYPTION_KEY: OLD })
    const sealed = createSecrets({ key: OLD, previous: [] }).seal({ table: 'x', column: 'y', id: 'z' }, 'w')
    await app.db.write(({ db }) => db.updateTable('secret_checks').set({ sealed }).execute())
    await expect(open(app, OLD)).rejects.toThrow('was altered')
  })

  test('of several processes at once settles on one key', async () => {
    const app = await start({})
    const starts = await Promise.allSettled([open(app, OLD), open(app, NEW), open(app, OLD), open(app, NEW)])
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })
})

describe('dev mode', () => {
  test('makes a key, keeps it to its owner, and finds it again', async () => {
    const app = await testApp({ env: { DEV_MODE: 'true' } })
    const file = getDevKeyFile(app.config.dataDir)
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { api } = await app.as('admin')
    const { id } = await api.credentials.create(CREDENTIAL)
    const secrets = await openSecrets({ ...app, log: createLogger({ level: 'error', format: 'text' }) })
    expect((await openCredential({ db: app.db.read }, secrets, id)).secret).toEqual({ community: 'cc' })
    await app.close()
  })

  test('with a key set makes none', async () => {
    const app = await testApp({ env: { DEV_MODE: 'true', ENCRYPTION_KEY: OLD } })
    expect(existsSync(getDevKeyFile(app.config.dataDir))).toBe(false)
    await app.close()
  })

  test('with a file that holds no key says what to do', async () => {
    const app = await testApp({ env: { DEV_MODE: 'true' } })
    const file = getDevKeyFile(app.config.dataDir)
    writeFileSync(file, 'half a k')
    const opened = openSecrets({ ...app, log: createLogger({ level: 'error', format: 'text' }) })
    await expect(opened).rejects.toThrow(`${file}: must be exactly 64 hexadecimal digits. Delete it`)
    await app.close()
  })

  test('names its file when it is not the key of the database', async () => {
    const app = await testApp({ env: { DEV_MODE: 'true' } })
    const file = getDevKeyFile(app.config.dataDir)
    writeFileSync(file, NEW)
    const opened = openSecrets({ ...app, log: createLogger({ level: 'error', format: 'text' }) })
    await expect(opened).rejects.toThrow(`${file} is not the key of this database`)
    await app.close()
  })
})
