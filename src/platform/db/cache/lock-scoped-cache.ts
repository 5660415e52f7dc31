/**
 * What a transaction has read and need not read again: whoever comes after others in one transaction (`Operation.inTurnBy`) asks for the
 * same. It is good for as long as the transaction neither takes a named lock nor lets go of one (`Sql.locksHeld`).
 */
import type { Kysely } from 'kysely'
import type { Sql } from '../database.ts'

type Scope<Tables> = { readonly db: Kysely<Tables>; readonly store: { readonly sql: Pick<Sql, 'locksHeld'> } }

export type LockScopedCache<T> = {
  /** What is known, and how to keep what is read from now on. */
  readonly get: <Tables>(scope: Scope<Tables>) => { readonly value: T | undefined; readonly set: (value: T) => void }
  /** For a transaction that changes it itself. */
  readonly clear: <Tables>(scope: Pick<Scope<Tables>, 'db'>) => void
}

/**
 * @example
 * const { known, keep } = ranges.of(ctx)
 * if (known?.id === id) return known
 */
export const lockScopedCache = <T>(): LockScopedCache<T> => {
  const kept = new WeakMap<object, { readonly locks: number; readonly value: T }>()
  return {
    get: ({ db, store }) => {
      const locks = store.sql.locksHeld(db)
      const last = kept.get(db)
      return {
        value: last && last.locks === locks ? last.value : undefined,
        set: (value) => {
          // One at least: without, others may change what was read.
          if (locks) kept.set(db, { locks, value })
        },
      }
    },
    clear: ({ db }) => void kept.delete(db),
  }
}
