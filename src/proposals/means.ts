/** The parts of the server that proposals need. */

import { canPropose } from '../contract/can-propose.ts'
import type { Tables } from '../database/tables.ts'
import type { History } from '../kernel/changes/history.ts'
import type { Bound } from '../kernel/context.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { canBeCalled } from '../kernel/run/call-operation.ts'
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

type Given = Pick<Means, 'kernel' | 'history'> & {
  /** All operations. The ones that can be proposed are kept. */
  readonly operations: readonly Bound<Tables>[]
}

/** @throws Error if an operation that can be proposed cannot run inside the transaction of another */
export const createMeans = ({ kernel, history, operations }: Given): Means => {
  const proposable = operations.filter(({ op }) => canPropose(op))
  for (const bound of proposable)
    if (!canBeCalled(bound)) throw new Error(`${bound.op.name} can be proposed, but has transactions of its own`)
  const bounds = new Map(proposable.map((bound) => [bound.op.name, bound]))
  return { kernel, history, bounds, inOrder: createOrder() }
}
