/**
 * Caches one value per transaction that its named locks protect: calls that share a transaction (`Operation.serializeBy`) read the same
 * rows. An entry is valid until the transaction takes or releases a named lock (`Sql.locksHeld`).
 */
import type { Kysely } from 'kysely'
import type { Sql } from '../database.ts'

type Scope<Tables> = { readonly db: Kysely<Tables>; readonly store: { readonly sql: Pick<Sql, 'locksHeld'> } }

export type LockScopedCache<T> = {
  /** Returns the cached value, and `set` for a value that is read after this call. */
  readonly get: <Tables>(scope: Scope<Tables>) => { readonly value: T | undefined; readonly set: (value: T) => void }
  /** Clears the entry. Call it when the transaction itself changes the rows. */
  readonly clear: <Tables>(scope: Pick<Scope<Tables>, 'db'>) => void
}

/**
 * @example
 * const { value, set } = ranges.get(ctx)
 * if (value?.id === id) return value
 * set(await rangeById(ctx, id))
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
          // Other transactions may change rows that are not locked.
          if (locks) kept.set(db, { locks, value })
        },
      }
    },
    clear: ({ db }) => void kept.delete(db),
  }
}
