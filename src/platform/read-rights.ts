/** Rights as they are read from the database, and read again where they moved: docs/decisions/rights-of-the-write.md. */
import type { Db, Tx } from './db/database.ts'
import type { Caller } from './kernel.ts'
import type { Rights } from './rights.ts'

/** @typeParam Source where credentials are looked up */
export type RightsOptions<Tables, Source> = {
  readonly db: Pick<Db<Tables>, 'sql'>
  /** A change to any of them may change what the caller may do. */
  readonly tables: readonly (keyof Tables & string)[]
  /** Looks them up as of the last commit. It must not wait for a connection that a transaction may hold. */
  readonly committed: () => Source | Promise<Source>
  /** Looks them up as the transaction sees them. */
  readonly within: (tx: Tx<Tables>) => Source
}

type Found<Source> = {
  readonly caller: Caller
  /** Of `tables` when they were read; undefined where it could not be told. */
  readonly revision: string | undefined
  /** Whether the credentials have expired since then. */
  readonly isOver: () => boolean
  /** Reads the rights of the same credentials. @throws AppError with status 401 */
  readonly again: (source: Source) => Promise<Rights>
  readonly ask?: () => Promise<void>
}

export const createRights =
  <Tables, Source>({ db, tables, committed, within }: RightsOptions<Tables, Source>) =>
  ({ caller, revision, isOver, again, ask }: Found<Source>): Rights => {
    const rights: Rights = {
      caller,
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
