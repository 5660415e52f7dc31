/** Pools that are nearly full. */
import { findAllUtilization } from '../../inventory/pools/pools.ts'
import { sortByName } from '../../net/name-order.ts'
import { loadForecasts, toUse } from '../utilization/utilization.ts'
import { findDatacenters } from './objects.ts'
import { EMPTY, formatDays, type Params, type Report, type Scope } from './report.ts'

const findFull = async ({ ctx }: Scope, { min }: Params) => {
  const all = (await findAllUtilization(ctx)).filter(({ utilization }) => utilization.utilization >= min)
  const byId = all.sort((a, b) => (a.pool.id < b.pool.id ? -1 : 1))
  return sortByName(byId, ({ pool }) => pool.name)
}

const explain = (days: number | null): string => {
  if (days === null) return 'widen it, or free addresses'
  return days === 0 ? 'it is full: widen it, or free addresses' : `full in ${formatDays(days)}: widen it in time`
}

export const fullPools: Report = {
  name: 'full-pools',
  title: 'Full pools',
  description: 'Pools that are nearly full: at the threshold of the warnings, or above it',
  permissions: ['pools:list'],
  days: null,
  uses: ['min', 'network_id', 'datacenter_id'],
  find: async (scope, params) =>
    (await findFull(scope, params)).map(({ pool: { id } }) => ({ id, since: '', item: '' })),
  describe: async (scope, found) => {
    const known = new Map((await findFull(scope, { days: 0, min: 0 })).map((one) => [one.pool.id, one]))
    const full = found.flatMap(({ id }) => known.get(id) ?? [])
    const forecasts = await loadForecasts(
      scope.ctx,
      full.map(({ pool: { id }, utilization }) => ({ id, ...toUse(utilization) })),
    )
    const datacenters = await findDatacenters(
      scope,
      full.map(({ pool }) => pool.network_id),
    )
    return ({ id }) => {
      const one = known.get(id)
      if (!one) return undefined
      const { name, network_id, start_ip } = one.pool
      const { utilization, available_ips } = one.utilization
      const days_to_full = forecasts.get(id)?.days_to_full ?? null
      return {
        ...EMPTY,
        ...{
          id: `full-pools:${id}`,
          resource: 'pool' as const,
          resource_id: id,
          name,
          ip_address: start_ip,
          network_id,
        },
        ...{ datacenter_id: datacenters.get(network_id) ?? null, value: utilization, details: { days_to_full } },
        message: `${utilization} % full, ${available_ips} free: ${explain(days_to_full)}`,
      }
    }
  },
}
