/** Datacenters, networks and pools of rackd. */
import { parseCidr } from '../../net/cidr.ts'
import { compareIp, formatIp } from '../../net/ip.ts'
import type { EstateRow } from '../converter.ts'
import { compact, filterTags } from '../rows/row-text.ts'
import { findRef, hasAddresses, type Ids, listDanglingLine, listLines, type Mapping, toIp, toText } from './mapping.ts'

const MAX_VLAN = 4094

const DATACENTER_USED = new Set(['name', 'location', 'description'])

export const buildDatacenters = (mapping: Mapping, ids: Ids): EstateRow[] =>
  [...mapping.tables.byId('datacenters')].map(([id, row]) => {
    mapping.done.add(row)
    ids.datacenters.add(id)
    const lines = listLines(mapping, { table: 'datacenters', row, used: DATACENTER_USED })
    return compact({
      id,
      name: toText(mapping, ['datacenters.name', id], row.name) || id,
      location: toText(mapping, ['datacenters.location', id], row.location),
      description: mapping.report.describe('datacenters', id, String(row.description ?? ''), lines),
    })
  })

const NETWORK_USED = new Set(['name', 'subnet', 'vlan_id', 'datacenter_id', 'description'])

export const buildNetworks = (mapping: Mapping, ids: Ids): EstateRow[] =>
  [...mapping.tables.byId('networks')].flatMap(([id, row]) => {
    const { subnet, vlan_id: vlan, datacenter_id } = row
    if (typeof subnet !== 'string' || !parseCidr(subnet)) return []
    mapping.done.add(row)
    ids.networks.add(id)
    const datacenter = findRef(ids.datacenters, datacenter_id)
    const hasVlan = Number.isInteger(vlan) && Number(vlan) >= 1 && Number(vlan) <= MAX_VLAN
    return [
      compact({
        id,
        name: toText(mapping, ['networks.name', id], row.name) || subnet,
        subnet,
        vlan_id: hasVlan ? vlan : undefined,
        datacenter,
        description: mapping.report.describe('networks', id, String(row.description ?? ''), [
          ...(hasVlan || vlan === 0 ? [] : [{ key: 'vlan_id', value: vlan }]),
          ...listDanglingLine('datacenter_id', datacenter_id, datacenter),
          ...listLines(mapping, { table: 'networks', row, used: NETWORK_USED }),
        ]),
      }),
    ]
  })

const POOL_USED = new Set(['name', 'network_id', 'start_ip', 'end_ip', 'description'])

export const buildPools = (mapping: Mapping, ids: Ids): EstateRow[] => {
  const { tables, report, done } = mapping
  const tags = tables.grouped('pool_tags', 'pool_id')
  return [...tables.byId('network_pools')].flatMap(([id, row]) => {
    const network = findRef(ids.networks, row.network_id)
    const [start, end] = [toIp(row.start_ip), toIp(row.end_ip)]
    if (!network || !start || !end || compareIp(start, end) > 0) return []
    if (!hasAddresses(tables.byId('networks').get(network.id)?.subnet, start, end)) return []
    done.add(row)
    ids.pools.add(id)
    const own = tags.get(id) ?? []
    for (const tag of own) done.add(tag)
    const lines = listLines(mapping, { table: 'network_pools', row, used: POOL_USED })
    return [
      compact({
        id,
        name: toText(mapping, ['network_pools.name', id], row.name) || id,
        network,
        start_ip: formatIp(start),
        end_ip: formatIp(end),
        description: report.describe('network_pools', id, String(row.description ?? ''), lines),
        tags: filterTags(
          report,
          { what: 'pool_tags', id },
          own.map(({ tag }) => String(tag ?? '')),
        ),
      }),
    ]
  })
}
