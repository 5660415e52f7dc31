/**
 * A real server on a separate port, with the built UI, an inventory, and signed-in users without the cost of bcrypt.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ComposeOptions, openDatabase } from '../src/app/compose.ts'
import { contracts } from '../src/app/contracts.ts'
import { startServer } from '../src/app/server.ts'
import { loadConfig } from '../src/base/config/config.ts'
import { createLogger } from '../src/base/runtime/log.ts'
import type { Outbound } from '../src/base/security/outbound.ts'
import { createPasswords } from '../src/base/security/passwords.ts'
import { createSecret, hashSecret } from '../src/base/security/secret-token.ts'
import { createCookie } from '../src/people/sessions/sessions.ts'
import { createClient } from '../src/surfaces/cli/connection/client.ts'
import { copyDataFile } from '../testing/app/migrated.ts'
import { createUser, keyFor } from '../testing/estates/identities.ts'
import { seed } from './estate.ts'

export type Role = 'admin' | 'operator' | 'viewer'

export type ServerOptions = {
  readonly devices?: number
  readonly env?: Readonly<Record<string, string>>
  /** Replaces the default, which refuses this machine, where the receivers of tests run. */
  readonly outbound?: Outbound
  /** Replaces the scanner. */
  readonly startScan?: ComposeOptions['startScan']
}

const HOUR_MS = 3_600_000

export const startPlat = async ({ devices = 300, env = {}, outbound, startScan }: ServerOptions = {}) => {
  const parts = {
    passwords: createPasswords({ cost: 4 }),
    ...(outbound && { outbound }),
    ...(startScan && { startScan }),
  }
  const dir = mkdtempSync(join(tmpdir(), 'plat-e2e-'))
  const contextAt = (port: number) => {
    const config = loadConfig({
      env: {
        DATA_DIR: dir,
        LISTEN_ADDR: `127.0.0.1:${port}`,
        RATE_LIMIT_ENABLED: 'false',
        DISCOVERY_ALLOW_LOCAL: 'true',
        ...env,
      },
      cwd: dir,
    })
    return { config, log: createLogger({ level: 'error', format: 'text' }), now: () => new Date() }
  }
  const context = contextAt(0)
  const { config } = context
  await copyDataFile(config)
  const { db, close } = await openDatabase(context)
  const ids = new Map<Role, string>()
  for (const role of ['admin', 'operator', 'viewer'] as const)
    ids.set(role, (await createUser(db, { username: role, roles: [role] })).id)
  const key = await keyFor(db, ids.get('admin') ?? '', { name: 'importer' })
  await close()
  let server = await startServer(context, parts)
  const { url } = server
  const headers = { authorization: `Bearer ${key}` }
  const send = (path: string, body: string) =>
    fetch(url + path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
  if (devices > 0) await seed(send, devices)
  return {
    url,
    api: createClient({ fetch, baseUrl: url, headers }, contracts),
    /** Writes data that no operation can write, such as the past. */
    write: (work: Parameters<typeof server.plat.db.write>[0]) => server.plat.db.write(work),
    /** Returns the cookie of a new session. */
    signIn: async (role: Role) => {
      const userId = ids.get(role) ?? ''
      const { generation } = await server.plat.db.read
        .selectFrom('users')
        .select('generation')
        .where('id', '=', userId)
        .executeTakeFirstOrThrow()
      const token = createSecret()
      const createdAt = new Date()
      const times = { createdAt, renewedAt: createdAt, expiresAt: new Date(createdAt.getTime() + HOUR_MS) }
      const session = { id: Bun.randomUUIDv7(), userId, userGeneration: Number(generation), ...times }
      await server.plat.sessions.create(
        {
          ...session,
          ...{
            ipAddress: '127.0.0.1',
            userAgent: 'Chromium/1 (Linux)',
            method: 'password',
            providerId: null,
            endsAt: null,
          },
        },
        hashSecret(token),
      )
      const cookie = { name: createCookie(config).name, value: token, path: '/', secure: config.cookieSecure }
      return { ...cookie, domain: new URL(url).hostname, httpOnly: true, sameSite: 'Strict' as const }
    },
    /** Ends all sessions of a user. */
    signOut: async (role: Role): Promise<void> => {
      const sessions = await server.plat.sessions.list(ids.get(role) ?? '')
      for (const { id } of sessions) await server.plat.sessions.remove(id)
    },
    /**
     * Stops the server for the duration of the work, then starts it at the same address with the same data, like an
     * upgrade.
     */
    restart: async (meanwhile: () => Promise<void>): Promise<void> => {
      await server.stop()
      try {
        await meanwhile()
      } finally {
        server = await startServer(contextAt(Number(new URL(url).port)), parts)
      }
    },
    stop: async () => {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
export type RunningPlat = Awaited<ReturnType<typeof startPlat>>
