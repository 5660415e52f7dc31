/** Reads that a transaction makes once, because nothing in it changes their result. */
import { transactionState } from '../../database/transaction-state.ts'
import type { KernelCtx } from '../context.ts'

/** Returns the read with its result kept until the end of the transaction. */
export const createReadOnce = <Ctx extends Pick<KernelCtx<never>, 'local'>, T>(
  read: (ctx: Ctx) => Promise<T>,
): ((ctx: Ctx) => Promise<T>) => {
  const state = transactionState((): { reading?: Promise<T> | undefined } => ({}))
  return (ctx) => {
    const own = ctx.local(state)
    if (own.reading) return own.reading
    const reading = read(ctx)
    own.reading = reading
    // A failure ends in its savepoint; another call of the transaction may succeed.
    reading.catch(() => {
      if (own.reading === reading) own.reading = undefined
    })
    return reading
  }
}
