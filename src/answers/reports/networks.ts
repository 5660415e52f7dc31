/** Networks that no scan has covered for long. */
import { sql } from 'kysely'
import { selectLastFailures } from '../../discovery/scans/failed-scans.ts'
import { listEnrolled } from '../../inventory/scanners/state-store.ts'
import { WIDEST_PREFIX } from '../../scanner/targets.ts'
import { countDays, daysAgo, EMPTY, type Found, formatDays, type Report, type Scope, toMoment } from './report.ts'

/** Returns the last scan of each network that has ended, if it did not complete. */
const findFailures = async ({ whole }: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const rows = await selectLastFailures(whole)
    .select(['network_id', 'error_message'])
    .where('network_id', 'in', ids)
    .execute()
  return new Map(rows.map(({ network_id, error_message }) => [network_id, error_message]))
}

/** Returns the networks of rules, and whether one of the rules is enabled. */
const findRules = async ({ whole }: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> => {
  const rows = await whole.db
    .selectFrom('discovery_rules')
    .select(['network_id', 'enabled'])
    .where('network_id', 'in', ids)
    .orderBy('enabled')
    .execute()
  return new Map(rows.map(({ network_id, enabled }) => [network_id, enabled === 1]))
}

/** Returns the names and tags of enrolled scanners. */
const findLabels = async ({ whole }: Scope): Promise<ReadonlySet<string>> =>
  new Set((await listEnrolled(whole)).flatMap(({ name, tags }) => [name, ...tags]))

type Cause = {
  /** The label of the network, if no scanner has it. */
  readonly unanswered: string | undefined
  readonly failure: string | undefined
  readonly hasRule: boolean | undefined
}

const explain = ({ unanswered, failure, hasRule }: Cause): string => {
  if (unanswered !== undefined)
    return `no scanner answers to its label "${unanswered}": enrol one with this name or tag, or change the label`
  if (failure !== undefined) return `its last scan failed${failure === '' ? '' : ` (${failure})`}`
  if (hasRule === undefined) return 'no rule scans it: scan it, or add a rule'
  return hasRule ? 'a rule would scan it: look at its next run' : 'its rule is disabled: enable it, or scan it'
}

export const unscannedNetworks: Report = {
  name: 'unscanned-networks',
  title: 'Networks not scanned',
  description: 'Networks of a size that can be scanned, without a recent completed scan',
  permissions: ['networks:list'],
  days: 30,
  uses: ['days', 'network_id', 'datacenter_id'],
  owner: 'networks',
  query: ({ whole }, { days }) => sql<Found & { name_order: string }>`
    SELECT n.id, coalesce(s.completed_at, '') AS since, '' AS item, n.name_order
    FROM networks AS n LEFT JOIN (SELECT network_id, max(completed_at) AS completed_at FROM discovery_scans
      WHERE status = 'completed' GROUP BY network_id) AS s ON s.network_id = n.id
    WHERE n.prefix >= CASE WHEN n.subnet LIKE '%:%' THEN ${sql.raw(String(WIDEST_PREFIX[6]))}
        ELSE ${sql.raw(String(WIDEST_PREFIX[4]))} END
      AND coalesce(s.completed_at, '') <= ${daysAgo(whole, days)}`,
  describe: async (scope, found) => {
    const ids = found.map(({ id }) => id)
    const rows = await scope.ctx.db
      .selectFrom('networks')
      .select(['id', 'name', 'subnet', 'datacenter_id', 'scanner'])
      .where('id', 'in', ids)
      .execute()
    const known = new Map(rows.map((row) => [row.id, row]))
    const failures = await findFailures(scope, ids)
    const rules = await findRules(scope, ids)
    const labels = rows.some(({ scanner }) => scanner !== '') ? await findLabels(scope) : new Set<string>()
    return ({ id, since }) => {
      const network = known.get(id)
      if (!network) return undefined
      const value = since === '' ? null : countDays(since, scope.whole.now)
      const { scanner } = network
      const unanswered = scanner === '' || labels.has(scanner) ? undefined : scanner
      const when = value === null ? 'Never scanned' : `Not scanned for ${formatDays(value)}`
      return {
        ...EMPTY,
        ...{ id: `unscanned-networks:${id}`, resource: 'network' as const, resource_id: id, name: network.name },
        ...{ network_id: id, datacenter_id: network.datacenter_id, since: toMoment(since), value },
        message: `${when}: ${explain({ unanswered, failure: failures.get(id), hasRule: rules.get(id) })}`,
        details: { subnet: network.subnet },
      }
    }
  },
}
