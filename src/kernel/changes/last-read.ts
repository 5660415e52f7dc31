/** Keeps the names that a write has read for its object, so that the event of the object needs no further query. */
import { transactionState } from '../../database/transaction-state.ts'
import type { KernelCtx } from '../context.ts'

/** The context of a transaction. */
type Scope = Pick<KernelCtx<never>, 'changeCount' | 'changeId' | 'local'>

type Noted<T> = { readonly changeId: string; readonly id: string; readonly writes: number; readonly value: T }

export const createLastRead = <T>() => {
  const state = transactionState((): { noted?: Noted<T> } => ({}))
  return {
    /** Notes a value that was read in the present state of the transaction. */
    note: ({ local, changeId, changeCount }: Scope, id: string, value: T): void => {
      local(state).noted = { changeId, id, writes: changeCount, value }
    },
    /** Returns the value in the last state of the transaction, or of a deleted object in the state before it; undefined if that was not noted. */
    find: (
      { local, changeId, changeCount }: Scope,
      { id, isGone }: { readonly id: string; readonly isGone: boolean },
    ): T | undefined => {
      const { noted } = local(state)
      // Another call in the same transaction of the database counts its own writes.
      if (noted?.changeId !== changeId || noted.id !== id) return undefined
      return noted.writes === (isGone ? 0 : changeCount) ? noted.value : undefined
    },
  }
}
