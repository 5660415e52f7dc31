// Claimed rows: leased beside other instances, and just held by an instance that has the database for itself.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Db } from '../../database/database.ts'
import { getDdl } from '../../database/migrate.ts'
import { instances } from '../../database/migrations/0018-instances.ts'
import type { JobTables } from './job-leases.ts'
import { createLeases, type LeaseScope, LostLeaseError } from './leases.ts'

describe.each(engines())('claimed rows on %s', (dialect) => {
  let things: ThingsKernel
  let db: Db<JobTables>
  let writes = 0
  beforeEach(async () => {
    things = await thingsKernel([], dialect)
    // The tables of the migration and the tables of the test.
    db = things.db as unknown as Db<JobTables>
    const [table = ''] = instances.statements(getDdl(dialect))
    await sql.raw(table).execute(db.read)
    await db.write((tx) =>
      tx.db
        .insertInto('job_leases')
        .values({ ...ROW, name: 'sweep' })
        .execute(),
    )
    writes = 0
  })
  afterEach(() => things.close())

  const ROW = { holder: '', fence: 0, until_ms: 0, began_ms: 0 }
  const leases = createLeases('job_leases', 'name', { lastsMs: 60_000 })
  const write = <T>(work: (scope: LeaseScope) => Promise<T>): Promise<T> => {
    writes++
    return db.write((tx) => work({ db: tx.db, store: db, now: new Date().toISOString() }))
  }
  const claim = () =>
    leases.claim(
      { store: db },
      {
        find: async () => ['sweep'],
        lockFree: async (scope: LeaseScope) => {
          const free = db.read.selectFrom('job_leases').select('name').where(leases.isFree(scope))
          return (await free.execute()).map(({ name }) => name)
        },
        key: (name) => name,
        write,
      },
    )
  const holder = async () => (await db.read.selectFrom('job_leases').select('holder').executeTakeFirstOrThrow()).holder

  test('rows that another instance holds are not claimed', async () => {
    const rows = [(await claim()).rows, (await claim()).rows]
    // With one process, the caller knows its work.
    expect(rows).toEqual(dialect === 'sqlite' ? [['sweep'], ['sweep']] : [['sweep'], []])
  })

  test('claimed rows are free for others at the end', async () => {
    const { held } = await claim()
    const during = await holder()
    await leases.end(held, write)
    expect([during === held.holder, await holder()]).toEqual([true, ''])
  })

  test('a claim writes nothing where one instance has the database', async () => {
    const { held } = await claim()
    const stop = leases.keep(held, write)
    await leases.end(held, write)
    stop()
    expect(writes).toBe(dialect === 'sqlite' ? 0 : 2)
  })

  test('a write for rows that another instance has taken is refused, but not where there is no other', async () => {
    const { held } = await claim()
    await db.write((tx) => tx.db.updateTable('job_leases').set({ holder: 'other' }).execute())
    const fenced = write(leases.fence(held)).then(
      () => 'written',
      (error: unknown) => (error instanceof LostLeaseError ? 'refused' : error),
    )
    expect(await fenced).toBe(dialect === 'sqlite' ? 'written' : 'refused')
  })
})
