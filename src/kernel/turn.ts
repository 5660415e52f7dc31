/** Operations that take much memory or time, of which only some calls run at once. */
import type { Caller } from './caller.ts'
import type { Bound, Enter } from './context.ts'

/** Returns the operations with the way in which calls of some of them wait for their turn, by name. */
export const inTurn = <Tables>(
  operations: readonly Bound<Tables>[],
  enters: Readonly<Record<string, Enter>>,
): readonly Bound<Tables>[] =>
  operations.map((bound) => {
    const enter = enters[bound.op.name]
    return enter ? { ...bound, enter } : bound
  })

/** Runs work of a call in its turn. @throws AppError RATE_LIMIT_EXCEEDED */
export const runInTurn = async <T>(
  { enter }: { readonly enter?: Enter },
  caller: Caller,
  work: () => Promise<T>,
): Promise<T> => {
  const leave = await enter?.(caller)
  try {
    return await work()
  } finally {
    leave?.()
  }
}
