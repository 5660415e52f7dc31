/**
 * Reads rights from the database, and reads them again if they changed:
 * docs/decisions/rights.md#rights-are-those-at-the-commit.
 */
import type { Db, Demand, ReadPoint, Tx } from '../../database/database.ts'
import type { Caller } from '../caller.ts'
import type { Rights } from './rights.ts'

/**
 * Maximum age of a source. On SQLite only the commits of this process are counted, and another process may write the file
 * (`plat user reset-password` does).
 */
const MAX_AGE_MS = 1000

/** @typeParam Source where credentials are looked up */
export type RightsOptions<Tables, Source> = {
  readonly db: Pick<Db<Tables>, 'sql' | 'readPoint'>
  /** A change to any of these may change the caller's rights. */
  readonly tables: readonly (keyof Tables & string)[]
  /** The subset in which rows other than the caller's own matter. They seldom change. */
  readonly common: readonly (keyof Tables & string)[]
  readonly now: () => Date
  /**
   * Looks credentials up as of a commit. It must not wait for a connection that a transaction may hold.
   * @param revision for `Db.cache`; it also changes with the clock's second
   */
  readonly committed: (revision: string, readPoint: ReadPoint) => Source
  /** Looks credentials up as the transaction sees them. */
  readonly within: (tx: Tx<Tables>) => Source
}

type Found<Source> = {
  readonly caller: Caller
  /** The state from which the rights were read; undefined if they were read in a transaction. */
  readonly readPoint: ReadPoint | undefined
  /** The caller's own rows, with the values that must stay unchanged. */
  readonly rows: Demand['rows']
  /** Returns true if the credentials have expired since. */
  readonly isOver: () => boolean
  /** Reads the rights of the same credentials. @throws AppError with status 401 */
  readonly again: (source: Source) => Promise<Rights>
  readonly ask?: () => Promise<void>
}

/** Returns the source of the present revision, which is asked for before each use, and a function that makes rights. */
export const createRights = <Tables, Source>(options: RightsOptions<Tables, Source>) => {
  const { db, tables, common, now, committed, within } = options
  let last: { readonly revision: string; readonly second: number; readonly source: Source } | undefined
  const sourceAt = (readPoint: ReadPoint): Source => {
    const revision = readPoint.revision(tables)
    const second = Math.floor(now().getTime() / MAX_AGE_MS)
    // Compared one by one: each request comes here.
    if (last?.second !== second || last.revision !== revision)
      last = { revision, second, source: committed(`${second} ${revision}`, readPoint) }
    return last.source
  }
  const buildRights = ({ caller, readPoint, rows, isOver, again, ask }: Found<Source>): Rights => {
    const revision = readPoint?.revision(tables)
    const demand = readPoint && { rows, tables: common, revision: readPoint.revision(common) }
    const rights: Rights = {
      caller,
      isOver,
      guard: demand && db.sql.guard?.(demand),
      ...(ask && { ask }),
      confirm: (tx) => {
        if (tx && db.sql.hasOneWriter) {
          const present = tx.revision(tables)
          // Another transaction of the same commit group has written. Its kernel passes one of these tables.
          if (present === undefined) return again(within(tx as unknown as Tx<Tables>))
          if (present === revision && !isOver()) return rights
        }
        const point = db.readPoint()
        return point instanceof Promise ? point.then((at) => again(sourceAt(at))) : again(sourceAt(point))
      },
    }
    return rights
  }
  return { sourceAt, rightsOf: buildRights }
}
