// The modes of TLS that docs/configuration.md promises, with a server that offers TLS and one that does not.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { takeOneIn } from '../../../../testing/cases.ts'
import { startTlsPostgres, type TlsPostgres } from '../../../../testing/servers/postgres-tls.ts'
import { engines, postgres } from '../../../../testing/servers/servers.ts'
import { openPostgres } from '../postgres.ts'
import { DEFAULT_LIMITS } from './settings.ts'

const TIMEOUT_MS = 60_000
const PLAIN = 'without TLS'
const ENCRYPTED = 'with TLS'
const UNTRUSTED = 'The certificate of the database is not trusted: check its dates, and sslrootcert of DATABASE_URL'
const OTHER_NAME = 'The certificate of the database is for another host than DATABASE_URL names'
const NO_TLS = 'The database offers no TLS, and sslmode of DATABASE_URL demands it'

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  let server: TlsPostgres
  let plainPort: string
  beforeAll(async () => {
    server = await startTlsPostgres()
    plainPort = new URL((await postgres()).url).port
  }, TIMEOUT_MS)
  afterAll(() => server.stop())

  /** Returns how a connection is made, or why it is not. */
  const connect = async (host: string, mode: string, root: string): Promise<string> => {
    const query = new URLSearchParams()
    if (mode !== '') query.set('sslmode', mode)
    if (root !== '') query.set('sslrootcert', root === 'right' ? server.authority : server.otherAuthority)
    const db = openPostgres(`postgres://postgres@${host}/postgres?${query}`, { ...DEFAULT_LIMITS, connections: 2 })
    try {
      const { rows } = await sql<{ ssl: boolean }>`
        SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(db.read)
      return rows[0]?.ssl ? ENCRYPTED : PLAIN
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      await db.close()
    }
  }

  describe('a server with TLS', () => {
    test.each(
      takeOneIn(4, [
        ['localhost', '', '', PLAIN],
        ['localhost', 'verify-full', 'right', ENCRYPTED],
        ['localhost', 'disable', '', PLAIN],
        ['127.0.0.1', 'verify-full', 'right', OTHER_NAME],
        ['localhost', 'allow', '', ENCRYPTED],
        ['127.0.0.1', 'verify-ca', 'right', ENCRYPTED],
        ['localhost', 'prefer', '', ENCRYPTED],
        ['localhost', 'verify-ca', 'wrong', UNTRUSTED],
        ['localhost', 'require', '', ENCRYPTED],
        ['localhost', 'verify-full', 'wrong', UNTRUSTED],
        ['localhost', 'verify-ca', '', UNTRUSTED],
        ['localhost', 'verify-full', '', UNTRUSTED],
        ['localhost', 'verify-ca', 'right', ENCRYPTED],
        ['127.0.0.1', 'require', '', ENCRYPTED],
        // A root certificate makes the weaker modes verify-full.
        ...['', 'disable', 'allow', 'prefer', 'require'].flatMap((mode) => [
          ['localhost', mode, 'right', ENCRYPTED] as const,
          ['127.0.0.1', mode, 'right', OTHER_NAME] as const,
          ['localhost', mode, 'wrong', UNTRUSTED] as const,
        ]),
      ] as const),
    )('at %s with sslmode=%s and a root certificate that is %s: %s', async (host, mode, root, outcome) => {
      expect(await connect(`${host}:${server.port}`, mode, root)).toBe(outcome)
    })
  })

  describe('a server without TLS', () => {
    test.each(
      takeOneIn(4, [
        ['prefer', '', PLAIN],
        ['', '', PLAIN],
        ['require', '', NO_TLS],
        ['disable', '', PLAIN],
        ['verify-full', 'right', NO_TLS],
        ['allow', '', PLAIN],
        ['verify-ca', 'right', NO_TLS],
        ['prefer', 'right', NO_TLS],
      ] as const),
    )('with sslmode=%s and a root certificate that is %s: %s', async (mode, root, outcome) => {
      expect(await connect(`127.0.0.1:${plainPort}`, mode, root)).toBe(outcome)
    })
  })
}
