/** The event by which the values of custom fields change. */
import type { Rewrite } from '../../resource/custom/engine.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    /**
     * Asks a resource to change the values of some objects, in portions with `pause()`. The resource stores the values and the texts
     * of searches, and declares the change to the history if `isChange`. The emitter keeps `custom_values`.
     */
    'custom-fields.rewriting': Rewrite
  }
}
