/** The event of feeds. */
import type { Feed } from './schema.ts'

declare module '../../platform/operation/events.ts' {
  interface Events {
    'feed.deleted': Feed
  }
}
