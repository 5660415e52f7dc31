/** TLS certificates that end soon, or have ended. */
import { sql } from 'kysely'
import { loadDiscovered } from './objects.ts'
import { countDays, daysAgo, type Found, formatDays, type Report, type Scope } from './report.ts'

type Row = {
  readonly device_id: string
  readonly ip: string
  readonly port: number
  readonly subject: string
  readonly issuer: string
  readonly names: string
  readonly expires_at: string
}

const findRows = async ({ ctx }: Scope, found: readonly Found[]): Promise<ReadonlyMap<string, Row>> => {
  const ids = [...new Set(found.map(({ id }) => id))]
  const rows = await ctx.db
    .selectFrom('discovered_certificates')
    .select(['device_id', 'ip', 'port', 'subject', 'issuer', 'names', 'expires_at'])
    .where('device_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [`${row.device_id} ${row.ip} ${row.port}`, row]))
}

const explain = (left: number, end: string): string => {
  if (left < 0) return `has ended on ${end}`
  return left === 0 ? 'ends within a day' : `ends in ${formatDays(left)}, on ${end}`
}

export const expiringCertificates: Report = {
  name: 'expiring-certificates',
  title: 'Expiring certificates',
  description: 'TLS certificates of devices that are up, as the last deep scan saw them, that end soon or have ended',
  permissions: ['discovery:list'],
  days: 30,
  uses: ['days', 'network_id', 'datacenter_id'],
  query: ({ whole }, { days }) => sql<Found & { name_order: string }>`
    SELECT x.id, '' AS since, c.ip || ' ' || c.port AS item, coalesce(nullif(t.hostname_key, ''), x.ip_key) AS name_order
    FROM discovered_certificates AS c JOIN discovered_devices AS x ON x.id = c.device_id
    LEFT JOIN discovered_texts AS t ON t.device_id = x.id
    WHERE x.status = 'up' AND c.expires_at <= ${daysAgo(whole, -days)}`,
  describe: async (scope, found) => {
    const rows = await findRows(scope, found)
    const getKnown = await loadDiscovered(scope, found)
    return (one) => {
      const [known, row] = [getKnown(one), rows.get(`${one.id} ${one.item}`)]
      if (!known || !row) return undefined
      const { ip, port, subject, issuer, names, expires_at } = row
      const left = countDays(scope.whole.now, expires_at)
      return {
        ...known.base,
        ...{ id: `expiring-certificates:${one.id}:${ip}:${port}`, ip_address: ip, value: left },
        message: `The certificate at port ${port} ${explain(left, expires_at.slice(0, 10))}: renew it`,
        // The stored list of names.
        details: { port, subject, issuer, names: JSON.parse(names) as string[], expires_at },
      }
    }
  },
}
