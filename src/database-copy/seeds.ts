/** Recognizes an unused database: it has only the rows that the migrations insert. */
import { Database } from 'bun:sqlite'
import { migrations } from '../migrations/index.ts'
import { AppError } from '../platform/contract/errors.ts'
import { ddlFor, MigrationError, pendingOf, UNFINISHED_COPY } from '../platform/db/migrate.ts'
import { fingerprint, type Side } from './engine-adapter.ts'
import { isSame } from './form.ts'
import { sqliteSide } from './sqlite-adapter.ts'

/** Creates a database in memory with these migrations applied. */
const freshSide = (names: ReadonlySet<string>): Side => {
  const database = new Database(':memory:', { safeIntegers: true })
  for (const { name, statements } of migrations)
    if (names.has(name)) for (const statement of statements(ddlFor('sqlite'))) database.run(statement)
  return sqliteSide(database, 'memory')
}

const MOST_NAMED = 8

const listed = (things: readonly string[]): string =>
  things.length > MOST_NAMED
    ? `${things.slice(0, MOST_NAMED).join(', ')} and ${things.length - MOST_NAMED} more`
    : things.join(', ')

const refused = (place: string, found: string): AppError =>
  new AppError(
    'ALREADY_EXISTS',
    `${place} is not empty: ${found}. Nothing was changed there; name an empty database, or an empty folder`,
  )

/** @returns the tables with rows other than those of the migrations, with their number */
const usedTables = async (side: Side, fresh: Side, signal: AbortSignal): Promise<string[]> => {
  const ours = new Map((await fresh.tables()).map((table) => [table.name, table]))
  const used: string[] = []
  for (const table of await side.tables()) {
    const seeded = ours.get(table.name)
    const rows = await side.count(table)
    const isSeeds =
      seeded !== undefined &&
      rows === (await fresh.count(seeded)) &&
      isSame(await fingerprint(side, table, { signal }), await fingerprint(fresh, seeded, { signal }))
    if (!isSeeds) used.push(`${table.name} (${rows})`)
  }
  return used
}

const foreignTables = async (side: Side, fresh: Side): Promise<string[]> => {
  const ours = new Set(await fresh.tableNames())
  return (await side.tableNames()).filter((name) => !ours.has(name))
}

/** `begun` is an unfinished copy of this command. */
export type State = 'empty' | 'begun' | 'begun by another version'

/** @throws AppError for a target that is neither empty nor begun; MigrationError for one of a newer program */
export const stateOf = async (target: Side, signal: AbortSignal): Promise<State> => {
  const applied = await target.applied()
  const own = applied.filter(({ name }) => name !== UNFINISHED_COPY)
  const isBegun = own.length < applied.length
  const all = new Set(migrations.map(({ name }) => name))
  const fresh = freshSide(isBegun ? all : new Set(own.map(({ name }) => name)))
  try {
    const foreign = await foreignTables(target, fresh)
    if (foreign.length > 0)
      throw refused(target.place, `it holds the tables ${listed(foreign)}, which this version of Plat does not know`)
    if (isBegun) return isOurs(own, target.engine) ? 'begun' : 'begun by another version'
    pendingOf(migrations, own, ddlFor(target.engine))
    const used = await usedTables(target, fresh, signal)
    if (used.length > 0) throw refused(target.place, `it holds rows in ${listed(used)}`)
    return 'empty'
  } finally {
    await fresh.close()
  }
}

const isOurs = (applied: Parameters<typeof pendingOf>[1], engine: Side['engine']): boolean => {
  try {
    return pendingOf(migrations, applied, ddlFor(engine)).length === 0
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    return false
  }
}
