// A program that is killed at any point of a migration: the next start completes it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import type { Db } from './database.ts'
import { type Migration, migrate } from './migrate.ts'
import { openPostgres } from './postgres/postgres.ts'
import { openSqlite } from './sqlite/sqlite.ts'

type Tables = { a: { id: string; more: string | null } }

const FIRST = {
  name: '0001-a',
  floor: undefined,
  texts: ['CREATE TABLE a (id TEXT)', "INSERT INTO a (id) VALUES ('1')"],
}
const SECOND = {
  name: '0059-more',
  floor: 'unchanged',
  texts: ['ALTER TABLE a ADD COLUMN more TEXT', "UPDATE a SET more = 'x'", 'CREATE INDEX a_more ON a (more)'],
}
const THIRD = { name: '0060-last', floor: 'unchanged', texts: ["INSERT INTO a (id, more) VALUES ('2', 'y')"] }
const all = [FIRST, SECOND, THIRD].map(
  ({ texts, ...one }): Migration => ({ ...one, statements: () => texts }) as Migration,
)

/** Its process kills itself before statement `at` of the migrations after the first, where recording one counts too. */
const script = (opening: string, at: number): string => `
  const { openPostgres } = await import(${JSON.stringify(join(import.meta.dir, 'postgres/postgres.ts'))})
  const { openSqlite } = await import(${JSON.stringify(join(import.meta.dir, 'sqlite/sqlite.ts'))})
  const { migrate } = await import(${JSON.stringify(join(import.meta.dir, 'migrate.ts'))})
  let next = 0
  const step = () => { if (next++ === ${at}) process.kill(process.pid, 'SIGKILL') }
  class Killing extends Array {
    *[Symbol.iterator]() {
      for (let i = 0; i < this.length; i++) { step(); yield this[i] }
      step()
    }
  }
  const migrations = ${JSON.stringify([FIRST, SECOND, THIRD])}.map(({ texts, ...one }, n) => ({
    ...one, statements: () => n === 0 ? texts : Killing.from(texts),
  }))
  const db = ${opening}
  await migrate(db, { migrations, now: () => new Date() })
  process.exit(7)
`
/** Statements, and the records of two migrations. */
const POINTS = [0, 1, 2, 3, 4, 5]
/** Then it is committed. */
const POINTS_OF_SECOND = 4

describe.each(engines())('a program killed on %s', (dialect) => {
  let dir: string
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'plat-kill-'))
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  const create = async (at: number) => {
    if (dialect === 'sqlite') {
      const file = join(dir, `${at}.db`)
      const opening = `openSqlite(${JSON.stringify(file)})`
      return { open: () => openSqlite<Tables>(file), opening, drop: async () => {} }
    }
    const { url, drop } = await postgresDatabase()
    return { open: () => openPostgres<Tables>(url), opening: `openPostgres(${JSON.stringify(url)})`, drop }
  }
  const used = async <T>(open: () => Db<Tables>, use: (db: Db<Tables>) => Promise<T>): Promise<T> => {
    const db = open()
    return use(db).finally(db.close)
  }

  test.each(POINTS)('before step %i of a migration leaves a database that the next start completes', async (at) => {
    const { open, opening, drop } = await create(at)
    try {
      await used(open, (db) => migrate(db, { migrations: all.slice(0, 1), now: () => new Date() }))
      const child = Bun.spawn([process.execPath, '-e', script(opening, at)], { stdout: 'ignore', stderr: 'inherit' })
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')
      const names = all.slice(1).map(({ name }) => name)
      await used(open, async (db) => {
        const left = at < POINTS_OF_SECOND ? names : names.slice(1)
        expect(await migrate(db, { migrations: all, now: () => new Date() })).toEqual(left)
        expect(await db.read.selectFrom('a').selectAll().orderBy('id').execute()).toEqual([
          { id: '1', more: 'x' },
          { id: '2', more: 'y' },
        ])
        const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(db.read)
        expect(rows.map(({ name }) => name)).toEqual(all.map(({ name }) => name))
      })
    } finally {
      await drop()
    }
  })
})
