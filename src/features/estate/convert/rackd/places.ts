/** Datacenters, networks and pools of rackd. */
import { parseCidr } from '../../../../net/cidr.ts'
import { compareIp, formatIp } from '../../../../net/ip.ts'
import type { EstateRow } from '../converter.ts'
import { compact, fittedTags } from '../row-text.ts'
import { danglingLine, holds, type Ids, ipOf, linesOf, type Mapping, refIn, textOf } from './mapping.ts'

const MAX_VLAN = 4094

const DATACENTER_USED = new Set(['name', 'location', 'description'])

export const datacentersOf = (mapping: Mapping, ids: Ids): EstateRow[] =>
  [...mapping.tables.byId('datacenters')].map(([id, row]) => {
    mapping.done.add(row)
    ids.datacenters.add(id)
    const lines = linesOf(mapping, { table: 'datacenters', row, used: DATACENTER_USED })
    return compact({
      id,
      name: textOf(mapping, ['datacenters.name', id], row.name) || id,
      location: textOf(mapping, ['datacenters.location', id], row.location),
      description: mapping.report.describe('datacenters', id, String(row.description ?? ''), lines),
    })
  })

const NETWORK_USED = new Set(['name', 'subnet', 'vlan_id', 'datacenter_id', 'description'])

export const networksOf = (mapping: Mapping, ids: Ids): EstateRow[] =>
  [...mapping.tables.byId('networks')].flatMap(([id, row]) => {
    const { subnet, vlan_id: vlan, datacenter_id } = row
    if (typeof subnet !== 'string' || !parseCidr(subnet)) return []
    mapping.done.add(row)
    ids.networks.add(id)
    const datacenter = refIn(ids.datacenters, datacenter_id)
    const hasVlan = Number.isInteger(vlan) && Number(vlan) >= 1 && Number(vlan) <= MAX_VLAN
    return [
      compact({
        id,
        name: textOf(mapping, ['networks.name', id], row.name) || subnet,
        subnet,
        vlan_id: hasVlan ? vlan : undefined,
        datacenter,
        description: mapping.report.describe('networks', id, String(row.description ?? ''), [
          ...(hasVlan || vlan === 0 ? [] : [{ key: 'vlan_id', value: vlan }]),
          ...danglingLine('datacenter_id', datacenter_id, datacenter),
          ...linesOf(mapping, { table: 'networks', row, used: NETWORK_USED }),
        ]),
      }),
    ]
  })

const POOL_USED = new Set(['name', 'network_id', 'start_ip', 'end_ip', 'description'])

export const poolsOf = (mapping: Mapping, ids: Ids): EstateRow[] => {
  const { tables, report, done } = mapping
  const tags = tables.grouped('pool_tags', 'pool_id')
  return [...tables.byId('network_pools')].flatMap(([id, row]) => {
    const network = refIn(ids.networks, row.network_id)
    const [start, end] = [ipOf(row.start_ip), ipOf(row.end_ip)]
    if (!network || !start || !end || compareIp(start, end) > 0) return []
    if (!holds(tables.byId('networks').get(network.id)?.subnet, start, end)) return []
    done.add(row)
    ids.pools.add(id)
    const own = tags.get(id) ?? []
    for (const tag of own) done.add(tag)
    const lines = linesOf(mapping, { table: 'network_pools', row, used: POOL_USED })
    return [
      compact({
        id,
        name: textOf(mapping, ['network_pools.name', id], row.name) || id,
        network,
        start_ip: formatIp(start),
        end_ip: formatIp(end),
        description: report.describe('network_pools', id, String(row.description ?? ''), lines),
        tags: fittedTags(
          report,
          { what: 'pool_tags', id },
          own.map(({ tag }) => String(tag ?? '')),
        ),
      }),
    ]
  })
}
