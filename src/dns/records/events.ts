/** The events of DNS records. */
import type { DnsRecord } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'dns-record.created': DnsRecord
    'dns-record.updated': { readonly record: DnsRecord; readonly before: DnsRecord }
    'dns-record.deleted': DnsRecord
  }
}
