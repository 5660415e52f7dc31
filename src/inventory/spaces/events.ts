/** The event of address spaces. */
import type { Space } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'space.deleted': Space
  }
}
