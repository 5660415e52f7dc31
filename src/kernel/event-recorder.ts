/** Writes the events of a transaction. The events feature implements it. */
import type { PlacedEvent } from './announced-event.ts'
import type { ChangedObject } from './changes/change-record.ts'
import type { KernelCtx } from './context.ts'

export type EventRecorder<Tables> = {
  /** The names of the events that follow from changes of objects. */
  readonly objectEvents: ReadonlySet<string>
  /**
   * Writes the events of a transaction, at its end.
   * @param changes in the order of their first writes
   * @returns the names of the recorded events
   */
  readonly record: (
    ctx: KernelCtx<Tables>,
    changes: readonly ChangedObject[],
    announced: readonly PlacedEvent[],
  ) => Promise<readonly string[]>
}

/** For kernels with features that have no events. */
export const NO_EVENTS = { objectEvents: new Set<string>(), record: async (): Promise<readonly string[]> => [] }
