// A guard makes the commit of a transaction fail if its demand is not met: only for its own caller, even in a shared transaction.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { type Demand, type Guard, GuardError, type Tx } from '../database.ts'

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let things: EmptyDatabase<ThingTables>
  beforeAll(async () => {
    things = await thingsDatabase('postgres')
  })
  afterAll(() => things.close())
  const ROW = { table: 'things', where: { id: 'guarded', n: 0, owner_id: null } }

  /** Writes another table than the guarded one. */
  const put = ({ db }: Tx<ThingTables>, id: string) => db.insertInto('owners').values({ id, name: id }).execute()
  const ids = async () =>
    (await things.db.read.selectFrom('owners').select('id').orderBy('id').execute()).map(({ id }) => id)
  const made = (demand: Demand): Guard => {
    const guard = things.db.sql.guard?.(demand)
    if (!guard) throw new Error('PostgreSQL has guards')
    return guard
  }
  const row = () => made({ rows: [ROW], tables: [], revision: '' })
  const change = () =>
    things.db.write((tx) => tx.db.updateTable('things').set({ n: 1 }).where('id', '=', 'guarded').execute())

  beforeEach(async () => {
    await things.db.write(async (tx) => {
      await tx.db.deleteFrom('things').execute()
      await tx.db.deleteFrom('owners').execute()
      await tx.db.insertInto('things').values({ id: 'guarded', n: 0, owner_id: null }).execute()
    })
  })

  /** Guards after the work, like the kernel. */
  const guarded = (guard: Guard) =>
    things.db.write(async (tx) => {
      await put(tx, 'written')
      return tx.guard(guard)
    })

  test('a demand that is met commits', async () => {
    expect(await guarded(row())).toBe(true)
    expect(await ids()).toEqual(['written'])
  })

  test('a row that has changed undoes the transaction', async () => {
    await change()
    await expect(guarded(row())).rejects.toThrow(GuardError)
    expect(await ids()).toEqual([])
  })

  test('a row that is gone undoes the transaction', async () => {
    await things.db.write((tx) => tx.db.deleteFrom('things').execute())
    await expect(guarded(row())).rejects.toThrow(GuardError)
    expect(await ids()).toEqual([])
  })

  test('a table that was written since undoes the transaction', async () => {
    const tables = ['things'] as const
    const guard = made({ rows: [], tables, revision: await things.db.revision([...tables]) })
    await change()
    await expect(guarded(guard)).rejects.toThrow(GuardError)
  })

  test('a table that was not written since commits', async () => {
    const guard = made({ rows: [], tables: ['things'], revision: await things.db.revision(['things']) })
    expect(await guarded(guard)).toBe(true)
  })

  test('a transaction that writes nothing is guarded as well', async () => {
    await change()
    const empty = things.db.write(async (tx) => tx.guard(row()))
    await expect(empty).rejects.toThrow(GuardError)
  })

  test('a transaction that has written the table itself has no guard', async () => {
    const answer = await things.db.write(async (tx) => {
      await tx.db.updateTable('things').set({ n: 2 }).execute()
      return tx.guard(row())
    })
    expect(answer).toBe(false)
  })

  test('a change while the transaction is open rolls it back', async () => {
    const late = things.db.write(async (tx) => {
      tx.guard(row())
      await put(tx, 'written')
      await change()
    })
    await expect(late).rejects.toThrow(GuardError)
    expect(await ids()).toEqual([])
  })

  test('calls that share a transaction fail separately', async () => {
    const wrong = made({ rows: [{ table: 'things', where: { id: 'nobody' } }], tables: [], revision: '' })
    const right = row()
    const one = (guard: Guard, id: string) =>
      things.db.write(
        async (tx) => {
          await put(tx, id)
          tx.guard(guard)
        },
        { serializeBy: 'a' },
      )
    const outcomes = await Promise.allSettled([
      one(right, 'a'),
      one(right, 'b'),
      one(wrong, 'c'),
      one(right, 'd'),
      one(wrong, 'e'),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect(await ids()).toEqual(['a', 'b', 'd'])
  })
}
