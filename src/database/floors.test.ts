import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { engines, postgresDatabase, type TestDatabase } from '../../testing/servers/servers.ts'
import type { Db, OtherProgram } from './database.ts'
import { computeFloor, type Floor, findObstacle, parseLevel } from './floors.ts'
import { type Migration, migrate } from './migrate.ts'
import { migrations as released } from './migrations/index.ts'
import { formatProgramName, PROGRAM_NAME } from './postgres/connections/program-name.ts'
import { DEFAULT_LIMITS } from './postgres/connections/settings.ts'
import { openPostgres } from './postgres/postgres.ts'

type Tables = { base: { id: string } }

const base: Migration = { name: '0058-base', statements: () => ['CREATE TABLE base (id TEXT)'] }
const later = (number: string, floor: Floor): Migration => ({
  name: `${number}-later`,
  floor,
  statements: () => [`CREATE TABLE later_${number} (id TEXT)`],
})

describe('the released migrations', () => {
  const withFloor = released.filter(({ name }) => parseLevel(name) > 58)
  const names = new Set(released.map(({ name }) => name))

  test('have a number each, in order', () => {
    const levels = released.map(({ name }) => parseLevel(name))
    expect(levels).toEqual([...new Set(levels)].toSorted((a, b) => a - b))
  })

  test('name as their floor an earlier migration', () => {
    const wrong = withFloor.filter(
      ({ name, floor = '' }) => floor !== 'this' && floor !== 'unchanged' && !(names.has(floor) && floor < name),
    )
    expect(wrong).toEqual([])
  })
})

describe('the floor of a database', () => {
  const row = (name: string, floor = '') => ({ name, floor })
  test.each([
    ['of an empty one is empty', [], ''],
    ['is the newest migration without a floor', [row('0001-a'), row('0058-b')], '0058-b'],
    ['stays with what only adds', [row('0058-b'), row('0059-c', '0058-b')], '0058-b'],
    ['is the highest of all rows', [row('0058-b'), row('0059-c', '0059-c'), row('0060-d', '0058-b')], '0059-c'],
  ])('%s', (_, applied, floor) => {
    expect(computeFloor(applied)).toBe(floor)
  })
})

describe('a migration', () => {
  const program = (level: number | undefined): OtherProgram => ({ version: '1', level, address: '', since: '' })
  const obstacle = (floors: readonly Floor[], level: number | undefined) =>
    findObstacle(
      floors.map((floor, at) => later(`00${59 + at}`, floor)),
      { floor: '0058-base', programs: [program(level)] },
    )?.migration

  test.each<[string, readonly Floor[], number | undefined, string | undefined]>([
    ['that only adds is done beside older programs', ['unchanged', 'unchanged'], 58, undefined],
    ['that only adds is done beside programs without a level', ['unchanged'], undefined, undefined],
    ['that all must know is not', ['this'], 58, '0059-later'],
    ['that all must know is not done beside programs without a level', ['this'], undefined, '0059-later'],
    ['that all must know is done beside those that do', ['this'], 59, undefined],
    ['that names its floor is done beside those that know that', ['unchanged', '0059-later'], 59, undefined],
    ['that names its floor is not done beside others', ['unchanged', '0059-later'], 58, '0060-later'],
    ['that repeats the floor in force disturbs nobody new', ['0058-base'], undefined, undefined],
  ])('%s', (_, floors, level, expected) => {
    expect(obstacle(floors, level)).toBe(expected)
  })
})

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres'))
  describe('programs on one PostgreSQL', () => {
    let database: TestDatabase
    const open = new Set<Db<Tables>>()
    /** The versions that have found a newer database. */
    const newer: string[] = []
    beforeEach(async () => {
      database = await postgresDatabase()
    })
    afterEach(async () => {
      for (const db of open) await db.close()
      open.clear()
      await database.drop()
    })

    /** A program that knows these migrations, after its start. @param pid tells programs apart */
    const start = async (version: string, migrations: readonly Migration[], pid = 1): Promise<Db<Tables>> => {
      const level = Math.max(...migrations.map(({ name }) => parseLevel(name)))
      const name = version === '' ? PROGRAM_NAME : formatProgramName({ version, level }, 'host', pid)
      const db = openPostgres<Tables>(database.url, DEFAULT_LIMITS, { name })
      open.add(db)
      await migrate(db, { migrations, now: () => new Date(), onNewer: () => newer.push(version) })
      return db
    }
    const end = async (db: Db<Tables>): Promise<void> => {
      open.delete(db)
      await db.close()
      // The server lists a connection for a moment after its end.
      const observer = openPostgres<Tables>(database.url)
      open.add(observer)
      const others = async () => (await observer.sql.otherPrograms(observer.read)).length
      while ((await others()) > 0) await Bun.sleep(10)
      open.delete(observer)
      await observer.close()
    }
    const storedIn = async (db: Db<Tables>): Promise<Record<string, string>> => {
      const { rows } = await sql<{ name: string; floor: string }>`SELECT name, floor FROM migrations`.execute(db.read)
      return Object.fromEntries(rows.map(({ name, floor }) => [name, floor]))
    }
    const add59 = later('0059', 'unchanged')
    const break60 = later('0060', 'this')

    test('store the floor in force with each migration', async () => {
      const db = await start('2.0.0', [base, add59, break60, later('0061', 'unchanged'), later('0062', '0059-later')])
      expect(await storedIn(db)).toEqual({
        '0058-base': '',
        '0059-later': '0058-base',
        '0060-later': '0060-later',
        '0061-later': '0060-later',
        '0062-later': '0060-later',
      })
    })

    test('add the floor to a database without it', async () => {
      const old = await start('', [base])
      await old.write(({ db }) => sql`ALTER TABLE migrations DROP COLUMN floor`.execute(db))
      const db = await start('2.0.0', [base, add59])
      expect(await storedIn(db)).toEqual({ '0058-base': '', '0059-later': '0058-base' })
    })

    test('migrate beside older ones, which read, write and start again', async () => {
      const old = await start('1.0.0', [base])
      const next = await start('2.0.0', [base, add59])
      await old.write(({ db }) => db.insertInto('base').values({ id: 'by the old' }).execute())
      newer.splice(0)
      const oldAgain = await start('1.0.0', [base], 2)
      expect(newer).toEqual(['1.0.0'])
      await oldAgain.write(({ db }) => db.insertInto('base').values({ id: 'by the old again' }).execute())
      expect((await next.read.selectFrom('base').selectAll().execute()).map(({ id }) => id)).toEqual([
        'by the old',
        'by the old again',
      ])
    })

    test('do not start below the floor', async () => {
      await end(await start('2.0.0', [base, add59, break60]))
      expect(start('1.0.0', [base, add59])).rejects.toThrow('written by a newer Plat: it has the migration 0060-later')
    })

    test('do not start on a newer database that lacks a migration of theirs', async () => {
      await end(await start('2.0.0', [base, later('0060', 'unchanged')]))
      expect(start('1.0.0', [base, add59])).rejects.toThrow('written by a newer Plat: it has the migration 0060-later')
    })

    test('compare the texts of the migrations that they know, also on a newer database', async () => {
      await end(await start('2.0.0', [base, add59]))
      const changed: Migration = { name: '0058-base', statements: () => ['CREATE TABLE base (id TEXT, more TEXT)'] }
      expect(start('1.0.0', [changed])).rejects.toThrow('0058-base is not the one that made this database')
    })

    test.each(['1.0.0', ''])(
      'refuse to migrate beside older ones (%j) that they would break, and change nothing',
      async (version) => {
        const old = await start(version, [base])
        const next = start('2.0.0', [base, add59, break60])
        const described = version === '' ? 'an earlier version' : '1\\.0\\.0'
        expect(next).rejects.toThrow(
          new RegExp(
            `^0060-later cannot be done beside older Plats: ${described} at 127\\.0\\.0\\.1 since 20\\d\\d-\\d\\d-\\d\\dT[\\d:.]{12}Z\\. Stop them first\\.$`,
          ),
        )
        await Promise.allSettled([next])
        expect(await storedIn(old)).toEqual({ '0058-base': '' })
      },
    )

    test('programs on one PostgreSQL migrate when the older ones have ended', async () => {
      await end(await start('1.0.0', [base]))
      const next = await start('2.0.0', [base, add59, break60])
      expect(Object.keys(await storedIn(next))).toContain('0060-later')
    })

    test('programs on one PostgreSQL migrate beside newer ones, and beside programs of the same release', async () => {
      await start('2.0.0', [base, add59])
      await start('2.0.0', [base, add59], 2)
      const next = await start('3.0.0', [base, add59, later('0060', '0059-later')])
      expect((await storedIn(next))['0060-later']).toBe('0059-later')
    })
  })
