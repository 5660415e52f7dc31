import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { platIn, scratch } from '../../../testing/app/data-folders.ts'
import { engines, postgresDatabase } from '../../../testing/servers/servers.ts'
import type { Db } from '../../database/database.ts'
import { type Migration, migrate } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { formatProgramName } from '../../database/postgres/connections/program-name.ts'
import { DEFAULT_LIMITS } from '../../database/postgres/connections/settings.ts'
import { openPostgres } from '../../database/postgres/postgres.ts'
import type { Tables } from '../../database/tables.ts'
import type { Finding } from './finding.ts'

const END = migrations.length - 1
const last = migrations[END]
/** The last migration only adds, so the test follows the release. */
const isRolling = last?.floor === 'unchanged'
const ROLLS = 'this release can roll: old instances go on until they are replaced'
const ADVICE = 'stop the old instances first'

type Prepared = {
  readonly known: readonly Migration[]
  readonly prepare?: (db: Db<Tables>) => Promise<unknown>
  /** Ends the old instance before the examination. */
  readonly isDown?: boolean
}

/** Examines a database that an old instance has made. */
const examined = async ({ known, prepare = async () => {}, isDown = false }: Prepared) => {
  const { url, drop } = await postgresDatabase()
  const db = openPostgres<Tables>(url, DEFAULT_LIMITS, {
    name: formatProgramName({ version: '0.0.9', level: 1 }, 'old', 7),
  })
  try {
    await migrate(db, { migrations: known, now: () => new Date() })
    await prepare(db)
    if (isDown) await db.close()
    const env = { LISTEN_ADDR: 'localhost:0', DATA_DIR: join(scratch(), 'data'), DATABASE_URL: url }
    const { code, out } = await platIn(env, 'doctor', '-o', 'json')
    // The tests check the shape.
    const findings = JSON.parse(out) as Finding[]
    const of = (check: string) => findings.find((finding) => finding.check === check)
    return { code, upgrade: of('upgrade'), schema: of('schema') }
  } finally {
    if (!isDown) await db.close()
    await drop()
  }
}
const execute = (statement: string) => (db: Db<Tables>) => db.write((tx) => sql.raw(statement).execute(tx.db))

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres'))
  describe('doctor before an upgrade', () => {
    test('tells if the release can roll', async () => {
      const { upgrade, code } = await examined({ known: migrations.slice(0, END) })
      const refused = {
        status: 'warning',
        message: expect.stringContaining(`${last?.name} cannot be done`),
        advice: ADVICE,
      }
      expect(upgrade).toMatchObject(isRolling ? { status: 'ok', message: ROLLS } : refused)
      expect(code).toBe(0)
    })

    test('tells that instances from before floors cannot start again', async () => {
      const prepare = execute('ALTER TABLE migrations DROP COLUMN floor')
      const { upgrade } = await examined({ known: migrations.slice(0, END), prepare })
      expect(upgrade).toMatchObject(
        isRolling
          ? { status: 'ok', message: `${ROLLS}, but cannot start again` }
          : { status: 'warning', advice: ADVICE },
      )
    })

    // Migrations without a floor.
    const before57 = migrations.filter(({ name }) => name < '0057')

    test('names the first migration that connected instances would break on, and these', async () => {
      const { upgrade } = await examined({ known: before57 })
      expect(upgrade).toEqual({
        check: 'upgrade',
        status: 'warning',
        message: expect.stringMatching(
          /^0057-scopes cannot be done beside older Plats: 0\.0\.9 at [\d.]+ since 20\S+Z$/,
        ),
        advice: ADVICE,
      })
    })

    test('doctor names the migration also while the older programs are down', async () => {
      const { upgrade } = await examined({ known: before57, isDown: true })
      expect(upgrade).toMatchObject({ status: 'warning', advice: ADVICE })
      expect(upgrade?.message).toStartWith('0057-scopes cannot be done beside older Plats')
    })

    test('says nothing of upgrades on a current database, or on a newer one that this program works on', async () => {
      const current = await examined({ known: migrations })
      expect(current.upgrade).toBeUndefined()
      const later: Migration = { name: '9999-later', floor: 'unchanged', statements: () => [] }
      const newer = await examined({ known: [...migrations, later] })
      expect([newer.code, newer.upgrade]).toEqual([0, undefined])
      expect(newer.schema).toMatchObject({
        status: 'ok',
        message: 'of a newer Plat (9999-later); this one works on it until it is replaced',
      })
    })
  })
