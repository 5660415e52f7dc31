/** Helpers of the tests of databases: one database with `things` and `owners` for a suite, emptied before each test. */
import { afterAll, beforeAll, beforeEach } from 'bun:test'
import type { Db, Tx } from '../../src/database/database.ts'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../servers/database.ts'
import type { Dialect } from '../servers/servers.ts'

export type Things = Db<ThingTables>

/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000

export const thing = (id: string, n = 0): ThingTables['things'] => ({ id, n, owner_id: null })

export const addThing = async (tx: Tx<ThingTables>, id: string, n = 0): Promise<void> => {
  await tx.db.insertInto('things').values(thing(id, n)).execute()
}

/** @returns the ids of all things, sorted */
export const thingIds = async (db: Pick<Things, 'read'>): Promise<string[]> =>
  (await db.read.selectFrom('things').select('id').orderBy('id').execute()).map(({ id }) => id)

/** @returns the error of a promise that rejects @throws Error if it does not */
export const thrown = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** Opens the database before the tests of a suite and closes it after them. Each getter throws before the suite has started. */
export const thingsSuite = (dialect: Dialect) => {
  let database: EmptyDatabase<ThingTables> | undefined
  const started = (): EmptyDatabase<ThingTables> => {
    if (database === undefined) throw new Error('the suite has not started')
    return database
  }
  beforeAll(async () => {
    database = await thingsDatabase(dialect)
  }, START_TIMEOUT_MS)
  beforeEach(() =>
    started().db.write(async (tx) => {
      await tx.db.deleteFrom('things').execute()
      await tx.db.deleteFrom('owners').execute()
    }),
  )
  afterAll(() => database?.close(), START_TIMEOUT_MS)
  return {
    get db(): Things {
      return started().db
    },
    /** Opens a second connection to the same database, as another process would have. */
    beside: (): Things => started().beside(),
  }
}
