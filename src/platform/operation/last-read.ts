/** Keeps the names that a write has read for its object, so that the event of the object needs no further query. */
import type { KernelCtx } from './context.ts'

/** The context of a transaction. */
type Scope = Pick<KernelCtx<never>, 'changeCount'>

type Noted<T> = { readonly id: string; readonly writes: number; readonly value: T }

export const createLastRead = <T>() => {
  const known = new WeakMap<Scope, Noted<T>>()
  return {
    /** Notes a value that was read in the present state of the transaction. */
    note: (ctx: Scope, id: string, value: T): void => void known.set(ctx, { id, writes: ctx.changeCount, value }),
    /** Returns the value in the last state of the transaction, or of a deleted object in the state before it; undefined if that was not noted. */
    find: (ctx: Scope, { id, isGone }: { readonly id: string; readonly isGone: boolean }): T | undefined => {
      const noted = known.get(ctx)
      return noted?.id === id && noted.writes === (isGone ? 0 : ctx.changeCount) ? noted.value : undefined
    },
  }
}
