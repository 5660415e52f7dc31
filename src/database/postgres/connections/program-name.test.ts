import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { engines, postgresDatabase } from '../../../../testing/servers/servers.ts'
import { PROGRAM } from '../../migrations/program.ts'
import { openPostgres } from '../postgres.ts'
import { formatProgramName, IS_PROGRAM, parseProgramName } from './program-name.ts'
import { DEFAULT_LIMITS } from './settings.ts'

const PROGRAM_OF = { version: '1.2.3', level: 59 }

test('names the version, the newest migration, the host and the process', () => {
  const name = formatProgramName(PROGRAM_OF, 'web1.example.com', 4711)
  expect(name).toBe('plat/1.2.3 59 web1.example.com:4711')
  expect(parseProgramName(name)).toEqual({ ...PROGRAM_OF, name: 'web1.example.com:4711' })
})

test.each([
  ['a domain is left out first', `web1.${'example.'.repeat(7)}com`, 'web1:4711'],
  ['then the beginning of the host', `${'a'.repeat(50)}-pod-x7k2p`, `${'a'.repeat(34)}-pod-x7k2p:4711`],
  ['other letters become question marks, as the server writes them', 'wéb 1', 'w?b?1:4711'],
])('has 63 bytes at most: %s', (_, host, name) => {
  const full = formatProgramName(PROGRAM_OF, host, 4711)
  expect(Buffer.byteLength(full)).toBeLessThanOrEqual(63)
  expect(parseProgramName(full)?.name).toBe(name)
})

test.each(['plat', 'psql', 'plat/1.2.3', 'plat/1.2.3 x web1:1', 'platform/1 2 web1:1'])('%s has no level', (name) => {
  expect(parseProgramName(name)).toBeUndefined()
})

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  test('is the name of a connection, and is found by the condition', async () => {
    const { url, drop } = await postgresDatabase()
    const [named, unnamed] = [
      openPostgres(url, DEFAULT_LIMITS, { name: formatProgramName(PROGRAM) }),
      openPostgres(url),
    ]
    try {
      await Promise.all([named.ping(), unnamed.ping()])
      const { rows } = await sql<{ name: string }>`
        SELECT DISTINCT application_name AS name FROM pg_stat_activity
        WHERE datname = current_database() AND ${sql.raw(IS_PROGRAM)} ORDER BY 1`.execute(named.read)
      expect(rows.map(({ name }) => name)).toEqual(['plat', formatProgramName(PROGRAM)])
    } finally {
      await Promise.all([named.close(), unnamed.close()])
      await drop()
    }
  })
}
