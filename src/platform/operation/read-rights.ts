/** Reads rights from the database, and reads them again if they changed: docs/decisions/rights-of-the-write.md. */
import type { Db, Demand, ReadPoint, Tx } from '../db/database.ts'
import type { Caller } from './caller.ts'
import type { Rights } from './rights.ts'

/** @typeParam Source where credentials are looked up */
export type RightsOptions<Tables, Source> = {
  readonly db: Pick<Db<Tables>, 'sql'>
  /** A change to any of these may change the caller's rights. */
  readonly tables: readonly (keyof Tables & string)[]
  /** The subset in which rows other than the caller's own matter. They seldom change. */
  readonly common: readonly (keyof Tables & string)[]
  /** Looks credentials up as of the last commit. It must not wait for a connection that a transaction may hold. */
  readonly committed: () => Source | Promise<Source>
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

export const createRights =
  <Tables, Source>({ db, tables, common, committed, within }: RightsOptions<Tables, Source>) =>
  ({ caller, readPoint, rows, isOver, again, ask }: Found<Source>): Rights => {
    const revision = readPoint?.revision(tables)
    const demand = readPoint && { rows, tables: common, revision: readPoint.revision(common) }
    const rights: Rights = {
      caller,
      isOver,
      guard: demand && db.sql.guard?.(demand),
      ...(ask && { ask }),
      confirm: (tx) => {
        if (tx && db.sql.hasOneWriter) {
          const now = tx.revision(tables)
          // Another transaction of the same commit group has written. Its kernel passes one of these tables.
          if (now === undefined) return again(within(tx as unknown as Tx<Tables>))
          if (now === revision && !isOver()) return rights
        }
        const source = committed()
        return source instanceof Promise ? source.then(again) : again(source)
      },
    }
    return rights
  }
