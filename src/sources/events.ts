/** The events of sources. */
import type { Source } from './schema.ts'

declare module '../kernel/events.ts' {
  interface Events {
    /** A source has work for its lane, or its running run is to end. */
    'source.changed': undefined
    'source.failed': Source
    'source.recovered': Source
    'source.waiting': Source
  }
}
