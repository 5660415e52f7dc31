/** The event of feeds. */
import type { Feed } from './schema.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'feed.deleted': Feed
  }
}
