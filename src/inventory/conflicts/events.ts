/** The events of conflicts, which are announced to users. */
import type { Conflict } from './schema.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'conflict.detected': Conflict
    'conflict.resolved': Conflict
  }
}
