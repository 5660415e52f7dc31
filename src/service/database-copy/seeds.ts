/** Recognizes an unused database: it has only the rows that the migrations insert. */
import { Database } from 'bun:sqlite'
import { AppError } from '../../contract/errors.ts'
import { getDdl, listPending, MigrationError, UNFINISHED_COPY } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { computeFingerprint, type Side } from './engine-adapter.ts'
import { isSame } from './form.ts'
import { createSqliteSide } from './sqlite-adapter.ts'

/** Creates a database in memory with these migrations applied. */
const createFreshSide = (names: ReadonlySet<string>): Side => {
  const database = new Database(':memory:', { safeIntegers: true })
  for (const { name, statements } of migrations)
    if (names.has(name)) for (const statement of statements(getDdl('sqlite'))) database.run(statement)
  return createSqliteSide(database, 'memory')
}

const MOST_NAMED = 8

const formatList = (things: readonly string[]): string =>
  things.length > MOST_NAMED
    ? `${things.slice(0, MOST_NAMED).join(', ')} and ${things.length - MOST_NAMED} more`
    : things.join(', ')

const createNotEmptyError = (place: string, found: string): AppError =>
  new AppError(
    'ALREADY_EXISTS',
    `${place} is not empty: ${found}. Nothing was changed there; name an empty database, or an empty folder`,
  )

/** @returns the tables with rows that no migration inserted, with the number of these rows */
const findUsedTables = async (side: Side, fresh: Side, signal: AbortSignal): Promise<string[]> => {
  const ours = new Map((await fresh.tables()).map((table) => [table.name, table]))
  const used: string[] = []
  for (const table of await side.tables()) {
    const seeded = ours.get(table.name)
    const rows = await side.count(table)
    const isSeeds =
      seeded !== undefined &&
      rows === (await fresh.count(seeded)) &&
      isSame(await computeFingerprint(side, table, { signal }), await computeFingerprint(fresh, seeded, { signal }))
    if (!isSeeds) used.push(`${table.name} (${rows})`)
  }
  return used
}

const findForeignTables = async (side: Side, fresh: Side): Promise<string[]> => {
  const ours = new Set(await fresh.tableNames())
  return (await side.tableNames()).filter((name) => !ours.has(name))
}

/** `begun` is an unfinished copy of this command. */
export type State = 'empty' | 'begun' | 'begun by another version'

/** @throws AppError for a target that is neither empty nor begun; MigrationError for one of a newer program */
export const readState = async (target: Side, signal: AbortSignal): Promise<State> => {
  const applied = await target.applied()
  const own = applied.filter(({ name }) => name !== UNFINISHED_COPY)
  const isBegun = own.length < applied.length
  const all = new Set(migrations.map(({ name }) => name))
  const fresh = createFreshSide(isBegun ? all : new Set(own.map(({ name }) => name)))
  try {
    const foreign = await findForeignTables(target, fresh)
    if (foreign.length > 0)
      throw createNotEmptyError(
        target.place,
        `it holds the tables ${formatList(foreign)}, which this version of Plat does not know`,
      )
    if (isBegun) return isOurs(own, target.engine) ? 'begun' : 'begun by another version'
    listPending(migrations, own, getDdl(target.engine))
    const used = await findUsedTables(target, fresh, signal)
    if (used.length > 0) throw createNotEmptyError(target.place, `it holds rows in ${formatList(used)}`)
    return 'empty'
  } finally {
    await fresh.close()
  }
}

const isOurs = (applied: Parameters<typeof listPending>[1], engine: Side['engine']): boolean => {
  try {
    return listPending(migrations, applied, getDdl(engine)).length === 0
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    return false
  }
}
