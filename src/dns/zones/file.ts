/** The master file of a zone (RFC 1035 section 5), of what is published. */

import { type FieldIssue, invalid, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatFileLine, toMailboxName } from '../../net/dns/master-file.ts'
import { selectRrsets } from './rrset-store.ts'
import type { ZoneSettings } from './schema.ts'
import * as store from './store.ts'
import type { DnsRrsetRow } from './table.ts'

/** The tables of which the file is made. */
export const FILE_TABLES = ['dns_zones', 'dns_zone_states', 'dns_rrsets'] as const

/** Refresh, retry and expiry, as RFC 1912 section 2.2 recommends. */
const TIMES = '7200 3600 1209600'

const validateSettings = ({ name, nameservers, admin_email }: ZoneSettings): FieldIssue[] => [
  ...(nameservers.length === 0 ? [{ field: 'nameservers', message: `the zone ${name} has none` }] : []),
  ...(admin_email === '' ? [{ field: 'admin_email', message: `the zone ${name} has none` }] : []),
]

const formatHead = (zone: ZoneSettings, serial: number): string => {
  const { name, ttl, nameservers, admin_email, negative_ttl } = zone
  const [primary = ''] = nameservers
  const soa = `${primary}. ${toMailboxName(admin_email)}. ${serial} ${TIMES} ${negative_ttl}`
  const servers = nameservers.map((value) => formatFileLine({ name: '@', ttl, type: 'NS', value }))
  return `$ORIGIN ${name}.\n$TTL ${ttl}\n@\t${ttl}\tIN\tSOA\t${soa}\n${servers.join('')}`
}

const formatLines = ({ name, type, published, published_ttl: ttl }: DnsRrsetRow): string =>
  // Written by this feature.
  (JSON.parse(published ?? '[]') as string[]).map((value) => formatFileLine({ name, ttl, type, value })).join('')

/** Yields the file in pieces. @throws AppError VALIDATION_ERROR for a zone that cannot have one */
export async function* streamZoneFile(ctx: Ctx, zoneId: string, title: string): AsyncGenerator<string> {
  const zone = await store.find(ctx, zoneId)
  if (!zone) throw invalidField('zone_id', `there is no DNS zone with id "${zoneId}"`)
  const issues = validateSettings(zone)
  if (issues.length > 0) throw invalid(issues)
  const serial = (await store.findState(ctx, zoneId))?.serial ?? 0
  yield `; ${title}\n${formatHead(zone, serial)}`
  const rows = selectRrsets(ctx, zoneId).where('published', 'is not', null)
  for await (const chunk of ctx.store.stream<DnsRrsetRow>(rows)) yield chunk.map(formatLines).join('')
}
