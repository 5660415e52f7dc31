// Rotation with the old key as the previous one, then with only the new one; in batches, with interruptions.
import { afterEach, describe, expect, test } from 'bun:test'
import { AsyncLocalStorage } from 'node:async_hooks'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { restart } from '../../../testing/app/restart.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { compose } from '../../app/compose.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { computeKeyId, createSecrets } from '../../base/security/crypto.ts'
import { openCredential } from '../credentials/credentials.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

const OLD = 'a9'.repeat(32)
const NEW = 'ba'.repeat(32)
const ROTATING = { encryptionKey: NEW, encryptionKeyPrevious: [OLD] }
const ALONE = { encryptionKey: NEW, encryptionKeyPrevious: [] }
const TIMEOUT_MS = 60_000

describe.each(onSqlite())('rotation on %s', (dialect) => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }, TIMEOUT_MS)

  const start = async () => {
    const app = await testApp({ dialect, env: { ENCRYPTION_KEY: OLD } })
    closing.push(app.close)
    const admin = await app.as('admin')
    const create = async (count: number) => {
      const made = Array.from({ length: count }, (_, i) =>
        admin.api.credentials.create({ name: `c-${i}`, type: 'snmp_v2c', community: `community-${i}` }),
      )
      return (await Promise.all(made)).map(({ id }) => id)
    }
    return { app, admin, create }
  }
  const restarted = async (...options: Parameters<typeof restart>) => {
    const again = await restart(...options)
    closing.push(again.close)
    return again
  }
  const communities = async ({ db }: TestApp, ids: readonly string[]) => {
    const secrets = createSecrets({ key: NEW, previous: [] })
    return Promise.all(ids.map(async (id) => (await openCredential({ db: db.read }, secrets, id)).secret.community))
  }

  test(
    'a rotation encrypts everything with the new key, so that a start with only that key works',
    async () => {
      const { app, admin, create } = await start()
      const ids = await create(5)
      const rotating = await restarted(app, ROTATING)
      const before = await (await rotating.request(admin, 'GET', `/api/credentials/${ids[0]}`)).text()
      await expect(restart(app, ALONE)).rejects.toThrow(computeKeyId(OLD))
      const response = await rotating.request(admin, 'POST', '/api/secrets/rotate')
      expect([response.status, await response.json()]).toEqual([
        200,
        { rotated: 5, remaining: 0, key_id: computeKeyId(NEW) },
      ])

      const alone = await restarted(app, ALONE)
      expect(await (await alone.request(admin, 'GET', `/api/credentials/${ids[0]}`)).text()).toBe(before)
      expect(await communities(app, ids)).toEqual([
        'community-0',
        'community-1',
        'community-2',
        'community-3',
        'community-4',
      ])
      await expect(restart(app, { encryptionKey: OLD })).rejects.toThrow(computeKeyId(NEW))
    },
    TIMEOUT_MS,
  )

  test('can be repeated, and then has nothing to do', async () => {
    const { app, admin, create } = await start()
    await create(2)
    const rotating = await restarted(app, ROTATING)
    await rotating.request(admin, 'POST', '/api/secrets/rotate')
    const again = await rotating.request(admin, 'POST', '/api/secrets/rotate')
    expect(await again.json()).toEqual({ rotated: 0, remaining: 0, key_id: computeKeyId(NEW) })
  })

  test('with nothing stored hands the database over to the new key', async () => {
    const { app, admin } = await start()
    const rotating = await restarted(app, ROTATING)
    const response = await rotating.request(admin, 'POST', '/api/secrets/rotate')
    expect(await response.json()).toMatchObject({ rotated: 0, remaining: 0 })
    await restarted(app, ALONE)
  })

  test(
    'works in transactions of a hundred rows',
    async () => {
      const { app, admin, create } = await start()
      const ids = await create(250)
      let writes = 0
      // Marks the writes of rotation, because jobs of the server write as well.
      const rotating = new AsyncLocalStorage<true>()
      const write: TestApp['db']['write'] = (...work) => {
        if (rotating.getStore()) writes++
        return app.db.write(...work)
      }
      const nothing = async () => {}
      const context = {
        config: { ...app.config, ...ROTATING },
        log: createLogger({ level: 'error', format: 'text' }),
        now: () => new Date(),
      }
      const plat = await compose(context, { db: { ...app.db, write }, maintain: nothing, close: nothing })
      closing.push(plat.close)
      const headers = { Authorization: `Bearer ${admin.key}` }
      const request = new Request('http://plat.test/api/secrets/rotate', { method: 'POST', headers })
      const response = await rotating.run(true, () => plat.fetch(request))
      expect(await response.json()).toMatchObject({ rotated: 250, remaining: 0 })
      // Three batches, one read of each other column, and the check value.
      expect(writes).toBe(3 + (SEALED_COLUMNS.length - 1) + 1)
      expect(new Set(await communities(app, ids)).size).toBe(250)
    },
    TIMEOUT_MS,
  )

  test('keeps concurrent writes', async () => {
    const { app, admin, create } = await start()
    const ids = await create(150)
    const rotating = await restarted(app, ROTATING)
    const updates = ids.map((id, i) =>
      rotating.request(admin, 'PUT', `/api/credentials/${id}`, { community: `later-${i}` }),
    )
    const rotation = rotating.request(admin, 'POST', '/api/secrets/rotate')
    for (const update of updates) expect((await update).status).toBe(200)
    expect(await (await rotation).json()).toMatchObject({ remaining: 0 })
    expect(await communities(app, ids)).toEqual(ids.map((_, i) => `later-${i}`))
  })

  test('that is broken off keeps the old key needed', async () => {
    const { app, admin, create } = await start()
    await create(3)
    const { plat } = await restarted(app, ROTATING)
    const headers = { Authorization: `Bearer ${admin.key}` }
    const response = await plat.fetch(
      new Request('http://plat.test/api/secrets/rotate', { method: 'POST', headers, signal: AbortSignal.abort() }),
    )
    expect(await response.json()).toEqual({ rotated: 0, remaining: 3, key_id: computeKeyId(NEW) })
    await expect(restart(app, ALONE)).rejects.toThrow(computeKeyId(OLD))
  })

  test('skips a value that it cannot open, counts it and names it', async () => {
    const { app, admin, create } = await start()
    const [broken = ''] = await create(3)
    const other = { table: 'credentials', column: 'secret', id: 'another' }
    const secret = createSecrets({ key: OLD, previous: [] }).seal(other, '{"community":"swapped"}')
    await app.db.write(({ db }) => db.updateTable('credentials').set({ secret }).where('id', '=', broken).execute())
    const entries: string[] = []
    const log = createLogger({ level: 'error', format: 'text', write: (entry) => entries.push(entry) })
    const rotating = await restarted(app, ROTATING, log)
    const response = await rotating.request(admin, 'POST', '/api/secrets/rotate')
    expect(await response.json()).toMatchObject({ rotated: 2, remaining: 1 })
    expect(entries.join()).toContain(`credentials.secret of ${broken} was altered`)
    expect(entries.join()).not.toContain('swapped')
    await expect(restart(app, ALONE)).rejects.toThrow(computeKeyId(OLD))
  })
})
