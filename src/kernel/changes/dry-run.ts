/** Runs an operation that shows its changes before the first one, and ends it there. */

import type { Bound } from '../context.ts'
import type { Kernel } from '../kernel.ts'
import type { Request, ShownChanges } from '../request.ts'
import { NO_AUDIT } from './audit.ts'
import { RolledBack } from './rolled-back.ts'

type Shown<Tables> = {
  readonly kernel: Kernel<Tables>
  /** The time at which the operation runs. */
  readonly at: Date
}

/** Returns the changes that an operation with `showsChanges` shows. The call ends there. */
export const runShowingChanges = async <Tables>(
  { kernel, at }: Shown<Tables>,
  bound: Bound<Tables>,
  request: Request,
): Promise<ShownChanges> => {
  const onChanges = async (shown: ShownChanges): Promise<void> => {
    throw new RolledBack(shown)
  }
  try {
    await kernel.over({ audit: NO_AUDIT, now: () => at }).run(bound, { ...request, onChanges })
  } catch (error) {
    // The value that `onChanges` has just thrown.
    if (error instanceof RolledBack) return error.value as ShownChanges
    throw error
  }
  throw new Error(`${bound.op.name} has shown no changes`)
}
