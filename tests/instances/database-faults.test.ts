/** PostgreSQL that refuses changes: its disk is full, or it can only be read. Requests, /readyz, the log, metrics and the doctor agree. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chownSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '../../src/base/runtime/log.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { platIn } from '../../testing/app/data-folders.ts'
import { migratedPostgres } from '../../testing/app/migrated.ts'
import { describeAll } from '../../testing/cases.ts'
import { createUser, PASSWORD } from '../../testing/estates/identities.ts'
import { engines, postgres } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000
const DISK_MIB = 40
const READ_ONLY =
  'PostgreSQL takes no changes: it is a standby, or default_transaction_read_only is on; set that to off, or name the primary in DATABASE_URL'
const FULL =
  'The disk of PostgreSQL is full: changes are refused until there is space, reading goes on; free space on it, or add some'

/** A server on a database, and what it says. */
const watched = async (databaseUrl?: string) => {
  const entries: string[] = []
  const log = createLogger({ level: 'info', format: 'text', write: (entry) => entries.push(entry) })
  const env = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const app: TestApp = await testApp({ ...(databaseUrl === undefined && { dialect: 'postgres' }), env, log })
  const admin: TestCaller = await app.as('admin')
  await createUser(app.db, { username: 'signer', roles: ['admin'] })
  entries.length = 0

  const read = async (response: Response): Promise<[number, string | undefined]> => {
    const { error } = (await response.json()) as { error?: string }
    return [response.status, error]
  }
  const create = async () =>
    read(
      await admin.request('POST', '/api/devices', { name: `d-${Bun.randomUUIDv7()}`, description: 'x'.repeat(2000) }),
    )
  const ready = async (): Promise<[number, string]> => {
    const response = await app.guest('GET', '/readyz')
    const { checks } = (await response.json()) as { checks: { database: { message: string } } }
    return [response.status, checks.database.message]
  }
  const metric = async () => {
    const text = await (await admin.request('GET', '/metrics')).text()
    return [...text.matchAll(/^db_fault\{kind="([^"]+)"\} 1$/gm)].map(([, kind]) => kind)
  }
  const doctor = async () => {
    const settings = { LISTEN_ADDR: 'localhost:0', DATABASE_URL: app.config.databaseUrl ?? '' }
    const { out } = await platIn(settings, 'doctor', '-o', 'json')
    const findings = JSON.parse(out) as { check: string; message: string; advice?: string }[]
    return findings.filter(({ check }) => check === 'writes').map(({ message, advice }) => `${message}; ${advice}`)
  }
  return {
    close: app.close,
    create,
    /** Creates devices until one is refused. */
    refused: () =>
      until('a refused write', async () => {
        const answer = await create()
        return answer[0] === 201 ? undefined : answer
      }),
    isReady: () => until('a ready server', async () => ((await ready())[0] === 200 ? true : undefined)),
    says: async () => ({
      signIn: await read(await app.guest('POST', '/api/auth/login', { username: 'signer', password: PASSWORD })),
      lists: (await admin.request('GET', '/api/devices')).status,
      ready: await ready(),
      metric: await metric(),
      doctor: await doctor(),
    }),
    metric,
    /** The levels and the messages of the faults in the log. */
    logged: () =>
      entries.flatMap(
        (entry) => /(ERROR|WARN|INFO) +(.*?)( error=| fault=|$)/s.exec(entry)?.slice(1, 3).join(' ') ?? [],
      ),
  }
}

type Watched = Awaited<ReturnType<typeof watched>>

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

if (engines().includes('postgres')) {
  describe('a PostgreSQL that can only be read', () => {
    let server: Watched
    beforeAll(async () => {
      server = await watched()
    }, TIMEOUT_MS)
    afterAll(() => server.close(), TIMEOUT_MS)

    test(
      'is named by requests, /readyz, log, metrics and doctor, until it takes a write',
      async () => {
        const { execute } = await postgres()
        await execute('ALTER SYSTEM SET default_transaction_read_only = on')
        await execute('SELECT pg_reload_conf()')
        const answer = await server.refused()
        const says = await server.says()
        await execute('ALTER SYSTEM RESET default_transaction_read_only')
        await execute('SELECT pg_reload_conf()')
        await server.isReady()
        expect(answer).toEqual([503, READ_ONLY])
        expect(says).toEqual({
          signIn: [503, READ_ONLY],
          lists: 200,
          ready: [503, READ_ONLY],
          metric: ['read-only'],
          doctor: [READ_ONLY],
        })
        expect(await server.metric()).toEqual([])
        expect(await server.create()).toEqual([201, undefined])
        expect(server.logged()).toEqual([`ERROR ${READ_ONLY}`, 'INFO changes are taken again'])
      },
      TIMEOUT_MS,
    )
  })

  // The server of the tests must see the file system, so it cannot be mounted in a namespace of its own.
  const isRoot = process.getuid?.() === 0
  if (!isRoot) console.warn('database-faults.test.ts: only root can mount a file system: a full disk is not tested')

  describeAll('a PostgreSQL with a full disk', () => {
    if (!isRoot) return
    let server: Watched
    let mount: string
    const drop: (() => Promise<unknown>)[] = []
    beforeAll(async () => {
      const { url, execute } = await postgres()
      const template = await migratedPostgres()
      const [folder] = (await execute('SHOW data_directory')) as { data_directory: string }[]
      const { uid, gid } = statSync(folder?.data_directory ?? '')
      mount = mkdtempSync('/tmp/plat-small-disk-')
      Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=700,uid=${uid},gid=${gid}`, 'tmpfs', mount])
      chownSync(mount, uid, gid)
      await execute(`CREATE TABLESPACE small LOCATION '${mount}'`)
      const name = new URL(template.url).pathname.slice(1)
      await execute(`CREATE DATABASE small TEMPLATE ${name} TABLESPACE small`)
      drop.push(
        () => execute('DROP DATABASE small WITH (FORCE)'),
        () => execute('DROP TABLESPACE small'),
        template.drop,
      )
      server = await watched(new URL('/small', url).href)
    }, TIMEOUT_MS)
    afterAll(async () => {
      await server?.close()
      for (const one of drop) await one()
      Bun.spawnSync(['umount', mount])
      rmSync(mount, { recursive: true, force: true })
    }, TIMEOUT_MS)

    test(
      'is named by requests, /readyz, log, metrics and doctor, until it has space',
      async () => {
        const filler = join(mount, 'filler')
        const { bavail, bsize } = statfsSync(mount)
        writeFileSync(filler, new Uint8Array(bavail * bsize - 128 * 1024))
        const answer = await server.refused()
        const says = await server.says()
        // Long enough for two more tries.
        await Bun.sleep(2500)
        const later = await server.says()
        rmSync(filler)
        await server.isReady()
        expect(answer).toEqual([503, FULL])
        expect(says).toMatchObject({ lists: 200, ready: [503, FULL], metric: ['full'], doctor: [lower(FULL)] })
        // A sign-in may fit into an existing page.
        expect([200, 503]).toContain(says.signIn[0])
        expect(later.ready).toEqual([503, FULL])
        expect(await server.create()).toEqual([201, undefined])
        expect(server.logged()).toEqual([`ERROR ${lower(FULL)}`, 'INFO changes are taken again'])
      },
      TIMEOUT_MS,
    )
  })
}
