/** Transactions that have changed definitions read them from the database, and keep what they read until the next change. */
import { savepoints, transactionState } from '../../database/transaction-state.ts'
import type { Ctx } from '../../kernel/ctx.ts'

const definitions = transactionState(() => ({ writes: 0 }))

/** Called before and after each write of definitions. */
export const noteWrite = ({ local }: Ctx): void => {
  local(definitions).writes++
}

export const hasWritten = ({ local }: Ctx): boolean => local(definitions).writes > 0

type Kept = { state: string; value: Promise<unknown> | undefined }

/** Returns a function that reads a value from the database, and once for each state of the definitions of a transaction. */
export const createOwnRead = <T>(read: (ctx: Ctx) => Promise<T>): ((ctx: Ctx) => Promise<T>) => {
  const kept = transactionState((): Kept => ({ state: '', value: undefined }))
  return (ctx) => {
    const own = ctx.local(kept)
    const state = `${ctx.local(definitions).writes} ${ctx.local(savepoints).rolledBack}`
    if (own.state !== state || own.value === undefined) {
      own.state = state
      own.value = read(ctx)
    }
    // The value of this function.
    return own.value as Promise<T>
  }
}
