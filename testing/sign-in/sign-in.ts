/** An app like testApp() for tests of sign-in, with a clock that the test sets and fast password hashes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { compose, openDatabase } from '../../src/app/compose.ts'
import { type Config, loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { createPasswords, type Passwords } from '../../src/base/security/passwords.ts'
import { UNLIMITED } from '../app/app.ts'
import { copyDataFile, migratedPostgres } from '../app/migrated.ts'
import type { Dialect } from '../servers/servers.ts'

export type SignInOptions = {
  readonly config?: Partial<Config>
  /** Replaces the default, bcrypt at its lowest cost. */
  readonly passwords?: Passwords
}

type RequestOptions = {
  readonly key?: string
  readonly cookie?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  /** The address of the peer; unknown without it. */
  readonly from?: string
}

/** Returns the cookie of a response in the form of a Cookie header. */
export const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** Returns the device cookie of a sign-in in the form of a Cookie header; '' if none was set. */
export const deviceOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .find((cookie) => /^(__Host-)?device=/.test(cookie))
    ?.split(';')[0] ?? ''

/** Returns status and code of an error. */
export const refusal = async (response: Response): Promise<[number, string]> => {
  const { code } = z.object({ code: z.string() }).parse(await response.json())
  return [response.status, code]
}

export const signInApp = async (dialect: Dialect, options: SignInOptions = {}) => {
  const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
  const now = () => new Date(clock.ms)
  const entries: string[] = []
  const log = createLogger({ level: 'debug', format: 'text', write: (entry) => entries.push(entry), now })
  const dir = mkdtempSync(join(tmpdir(), 'plat-sign-in-'))
  const server = dialect === 'postgres' ? await migratedPostgres() : undefined
  const env = { ...UNLIMITED, DATA_DIR: dir, ...(server ? { DATABASE_URL: server.url } : {}) }
  const config: Config = { ...loadConfig({ env, cwd: dir }), ...options.config }
  const passwords = options.passwords ?? createPasswords({ cost: 4 })
  if (!server) await copyDataFile(config)
  const context = { config, log, now }
  const plat = await compose(context, await openDatabase(context), { passwords, withFirstAdmin: false })

  const send = async (
    http: string,
    { key, cookie, headers = {}, body, from = '' }: RequestOptions = {},
  ): Promise<Response> => {
    const [method = 'GET', path = '/'] = http.split(' ')
    const all = {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(cookie === undefined ? {} : { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    }
    const init = { method, headers: all, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await plat.fetch(new Request(`http://plat.test${path}`, init), { peer: () => from })
    // Read to its end like a client does: an unread list keeps its connection to PostgreSQL.
    const bytes = await response.bytes()
    return new Response(bytes.length > 0 ? bytes : null, response)
  }
  const login = (username: string, password: string) => send('POST /api/auth/login', { body: { username, password } })

  return {
    db: plat.db,
    /** Contains the data file on SQLite, and nothing on PostgreSQL. */
    dir,
    clock,
    now,
    config,
    sessions: plat.sessions,
    keyUses: plat.keyUses,
    passwords,
    runJob: plat.runJob,
    fetch: plat.fetch,
    /** Sends a request unchanged. */
    request: (path: string, init: RequestInit) => plat.fetch(new Request(`http://plat.test${path}`, init)),
    /** The logged text, one entry per line. */
    entries,
    send,
    login,
    close: async () => {
      await plat.close()
      await server?.drop()
      rmSync(dir, { recursive: true })
    },
  }
}

export type SignInApp = Awaited<ReturnType<typeof signInApp>>
