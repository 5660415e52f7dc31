/** The events of DNS zones. */
import type { DnsZone } from './schema.ts'

export type ZoneTransition = 'dns.drift_detected' | 'dns.drift_resolved'

declare module '../../kernel/events.ts' {
  interface Events {
    'dns-zone.deleting': DnsZone
    /** Names of zones are to be computed again. */
    'dns-zone.noted': undefined
    'dns.drift_detected': DnsZone
    'dns.drift_resolved': DnsZone
    'dns.sync_failed': DnsZone
  }
}
