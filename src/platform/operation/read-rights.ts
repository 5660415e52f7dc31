/** Rights as they are read from the database, and read again where they moved: docs/decisions/rights-of-the-write.md. */
import type { Db, Demand, ReadPoint, Tx } from '../db/database.ts'
import type { Caller } from './caller.ts'
import type { Rights } from './rights.ts'

/** @typeParam Source where credentials are looked up */
export type RightsOptions<Tables, Source> = {
  readonly db: Pick<Db<Tables>, 'sql'>
  /** A change to any of them may change what the caller may do. */
  readonly tables: readonly (keyof Tables & string)[]
  /** Those of them in which more rows than the caller's own count; they seldom change. */
  readonly common: readonly (keyof Tables & string)[]
  /** Looks credentials up as of the last commit. It must not wait for a connection that a transaction may hold. */
  readonly committed: () => Source | Promise<Source>
  /** Looks credentials up as the transaction sees them. */
  readonly within: (tx: Tx<Tables>) => Source
}

type Found<Source> = {
  readonly caller: Caller
  /** As things stood when they were read; undefined for what was read in a transaction. */
  readonly readPoint: ReadPoint | undefined
  /** The caller's own rows, with what must stay as it is. */
  readonly rows: Demand['rows']
  /** Whether the credentials have expired since then. */
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
          // Written by another transaction of the same commit. It is one of these very tables, whose kernel hands it over.
          if (now === undefined) return again(within(tx as unknown as Tx<Tables>))
          if (now === revision && !isOver()) return rights
        }
        const source = committed()
        return source instanceof Promise ? source.then(again) : again(source)
      },
    }
    return rights
  }
