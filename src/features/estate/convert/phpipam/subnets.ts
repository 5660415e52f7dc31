/** Locations become datacenters, subnets become networks. */
import { type Cidr, cidrOf, formatCidr } from '../../../../net/cidr.ts'
import { bitsOf, type Family, type Ip, maxValue, parseIp } from '../../../../net/ip.ts'
import { SubnetIndex } from '../../../../net/subnet-index.ts'
import type { EstateRow } from '../converter.ts'
import { compact, fitted } from '../row-text.ts'
import { type VlanRows, vlanNumberOf } from '../vlan-rows.ts'
import { datacenterOf, linesOf, type Mapping, type RowRef, refsOf, refTo } from './mapping.ts'
import type { Row } from './tables.ts'

/** Reads an address, which the database keeps as a number. */
export const addressOf = (text: string | undefined, family?: Family): Ip | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,39}$/.test(text)) return parseIp(text)
  const value = BigInt(text)
  const own = family ?? (value <= maxValue(4) ? 4 : 6)
  return value <= maxValue(own) ? { family: own, value } : undefined
}

const LOCATION_USED = new Set(['name', 'address', 'description'])

export const datacentersOf = (mapping: Mapping): EstateRow[] => {
  const { tables, report, done } = mapping
  return tables.of('locations').flatMap((row) => {
    const { id, name = '', address = '', description = '' } = row
    if (id === undefined || tables.find('locations', id) !== row) return []
    done.add(row)
    const lines = linesOf(mapping, { table: 'locations', row, used: LOCATION_USED })
    return [
      compact({
        name: fitted(report, { what: 'locations.name', id }, name) || `location #${id}`,
        location: fitted(report, { what: 'locations.address', id }, address.replace(/\s*[\r\n]+\s*/g, ', ')),
        description: report.describe('locations', id, description, lines),
        refs: refsOf('location', id),
      }),
    ]
  })
}

/** A subnet of the document. */
export type Subnet = { readonly row: Row; readonly cidr: Cidr; readonly ref: RowRef; readonly key: string }

export type Subnets = {
  readonly rows: EstateRow[]
  readonly byId: Map<string, Subnet>
  /** The subnets of all VRFs; of equal ones the first. */
  readonly index: SubnetIndex<Subnet>
}

const SUBNET_USED = new Set('subnet mask description isFolder vlanId masterSubnetId location'.split(' '))

const cidrOfRow = ({ subnet, mask }: Row): Cidr | undefined => {
  const prefix = Number(mask)
  const ip = addressOf(subnet, prefix > 32 ? 6 : undefined)
  if (!ip || mask === undefined || !/^\d{1,3}$/.test(mask) || prefix > bitsOf(ip.family)) return undefined
  return cidrOf(ip, prefix)
}

type Read = { readonly id: string; readonly row: Row; readonly cidr: Cidr }

const rowOf = (mapping: Mapping, vlans: VlanRows, { id, row, cidr }: Read): EstateRow => {
  const { tables, report } = mapping
  const { description = '', vlanId, masterSubnetId, location } = row
  const subnet = formatCidr(cidr)
  const vlan = tables.find('vlans', vlanId)
  const vlan_id = vlanNumberOf(vlan?.number)
  const master = tables.find('subnets', masterSubnetId)
  const datacenter = datacenterOf(mapping, location)
  const lines = [
    ...linesOf(mapping, { table: 'subnets', row, used: SUBNET_USED }),
    // Where the VLAN is the only one of its number, the number says all.
    {
      key: 'vlan',
      value: vlans.isOnly(vlanId, vlan_id, datacenter)
        ? ''
        : (vlan?.name ?? (vlan_id ? '' : tables.label('vlans', vlanId))),
    },
    { key: 'folder', value: master?.isFolder === '1' ? tables.label('subnets', masterSubnetId) : '' },
    { key: 'location', value: datacenter ? '' : tables.label('locations', location) },
  ]
  return compact({
    name: fitted(report, { what: 'subnets.description', id }, description) || subnet,
    subnet,
    vlan_id,
    datacenter,
    description: report.describe('subnets', id, '', lines),
    refs: refsOf('subnet', id),
  })
}

export const subnetsOf = (mapping: Mapping, vlans: VlanRows): Subnets => {
  const found: Subnets = { rows: [], byId: new Map(), index: new SubnetIndex() }
  for (const row of mapping.tables.of('subnets')) {
    const { id } = row
    const cidr = cidrOfRow(row)
    if (id === undefined || found.byId.has(id)) continue
    if (row.isFolder === '1' || !cidr) continue
    mapping.done.add(row)
    const subnet = { row, cidr, ref: refTo('subnet', id), key: `subnet.${id}` }
    found.byId.set(id, subnet)
    found.index.add(cidr, subnet)
    found.rows.push(rowOf(mapping, vlans, { id, row, cidr }))
  }
  return found
}
