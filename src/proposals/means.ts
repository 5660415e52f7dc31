/** The parts of the server that proposals need. */

import { canPropose } from '../contract/can-propose.ts'
import type { Tables } from '../database/tables.ts'
import type { History } from '../kernel/changes/history.ts'
import type { Bound } from '../kernel/context.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { createOrder } from './run/order.ts'

export type Means = {
  /** The kernel is created from the features, this one included. */
  readonly kernel: () => Kernel<Tables>
  /** The operations that can be proposed, by name. */
  readonly bounds: ReadonlyMap<string, Bound<Tables>>
  readonly history: Pick<History<Tables>, 'record' | 'preview' | 'past'>
  /** Runs work on proposals of a user after earlier work on them. */
  readonly inOrder: <T>(userId: string, work: () => Promise<T>) => Promise<T>
}

const runsInside = ({ op, handler }: Bound<Tables>): boolean =>
  !op.hasOwnTransactions && !('prepare' in handler && !handler.isReadOnly)

/** Returns the operations that can be proposed. @throws Error if one cannot run inside the transaction of another */
export const selectProposable = (operations: readonly Bound<Tables>[]): ReadonlyMap<string, Bound<Tables>> => {
  const proposable = operations.filter(({ op }) => canPropose(op))
  for (const bound of proposable)
    if (!runsInside(bound)) throw new Error(`${bound.op.name} can be proposed, but has transactions of its own`)
  return new Map(proposable.map((bound) => [bound.op.name, bound]))
}

type Given = Pick<Means, 'kernel' | 'history'> & {
  /** All operations. The ones that can be proposed are kept. */
  readonly operations: readonly Bound<Tables>[]
}

export const createMeans = ({ kernel, history, operations }: Given): Means => ({
  ...{ kernel, history, bounds: selectProposable(operations), inOrder: createOrder() },
})

/** The name of an undo, which stands alone in its proposal. */
const UNDO = 'history.undo'

/** True for operations of which one undoes a change beside others. */
export const hasUndoBesideOthers = (operations: readonly { readonly operation: AnyOperation['name'] }[]): boolean =>
  operations.length > 1 && operations.some(({ operation }) => operation === UNDO)
