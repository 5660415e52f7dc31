/** Typed state of a transaction, beside its rows. It lives as long as the transaction. */

/** Names a state and makes its first value. */
export type StateKey<T> = { readonly make: () => T }

/**
 * Declares state of a transaction.
 * @example
 * const readings = transactionState((): { count: number } => ({ count: 0 }))
 * ctx.local(readings).count++
 */
export const transactionState = <T>(make: () => T): StateKey<T> => ({ make })

/** Returns the state of a key, made at its first use. */
export type Local = <T>(key: StateKey<T>) => T

/** Creates the states of one transaction. */
export const createLocal = (): Local => {
  let values: Map<StateKey<unknown>, unknown> | undefined
  return <T>(key: StateKey<T>): T => {
    values ??= new Map()
    if (!values.has(key)) values.set(key, key.make())
    // Its key has made it.
    return values.get(key) as T
  }
}

/** The number of savepoints of the transaction that were rolled back: rows that were read before may have changed back. */
export const savepoints = transactionState(() => ({ rolledBack: 0 }))
