/** Locations become datacenters, subnets become networks. */
import { type Cidr, formatCidr } from '../../net/cidr.ts'
import type { Ip } from '../../net/ip.ts'
import { SubnetIndex } from '../../net/subnet-index.ts'
import type { EstateRow } from '../converter.ts'
import { compact, trimText } from '../rows/row-text.ts'
import { parseVlanNumber, type VlanRows } from '../rows/vlan-rows.ts'
import { readCidr } from './blocks.ts'
import { findDatacenter, listLines, type Mapping, type RowRef, toRef, toRefs } from './mapping.ts'
import type { Spaces } from './spaces.ts'
import type { Row } from './tables.ts'
import { findVlan, labelVlan } from './vlans.ts'

const LOCATION_USED = new Set(['name', 'address', 'description'])

export const buildDatacenters = (mapping: Mapping): EstateRow[] => {
  const { tables, report, done } = mapping
  return tables.of('locations').flatMap((row) => {
    const { id, name = '', address = '', description = '' } = row
    if (id === undefined || tables.find('locations', id) !== row) return []
    done.add(row)
    const lines = listLines(mapping, { table: 'locations', row, used: LOCATION_USED })
    return [
      compact({
        name: trimText(report, { what: 'locations.name', id }, name) || `location #${id}`,
        location: trimText(report, { what: 'locations.address', id }, address.replace(/\s*[\r\n]+\s*/g, ', ')),
        description: report.describe('locations', id, description, lines),
        custom: mapping.custom.of('locations', row),
        refs: toRefs('location', id),
      }),
    ]
  })
}

/** A subnet of the document. */
export type Subnet = {
  readonly row: Row
  readonly cidr: Cidr
  readonly ref: RowRef
  readonly key: string
  /** The name of the object that became its address space; `''` in the default one. */
  readonly space: string
}

export type Subnets = {
  readonly rows: EstateRow[]
  readonly byId: Map<string, Subnet>
  /** Returns the most specific subnet that holds an address: one of the default space, if there is any. */
  readonly holding: (ip: Ip) => Subnet | undefined
}

const SUBNET_USED = new Set('subnet mask description isFolder vlanId masterSubnetId location vrfId'.split(' '))

type Numbered = { readonly id: string; readonly row: Row; readonly cidr: Cidr; readonly space: string }

/** The rows of the document that a subnet asks. */
type Made = { readonly spaces: Spaces; readonly vlans: VlanRows }

const toRow = (mapping: Mapping, vlans: VlanRows, { id, row, cidr, space }: Numbered): EstateRow => {
  const { tables, report } = mapping
  const { description = '', vlanId, masterSubnetId, location } = row
  const subnet = formatCidr(cidr)
  const vlan = findVlan(mapping, vlanId)
  const vlan_id = parseVlanNumber(vlan?.number)
  const master = tables.find('subnets', masterSubnetId)
  const datacenter = findDatacenter(mapping, location)
  const lines = [
    ...listLines(mapping, { table: 'subnets', row, used: SUBNET_USED }),
    // Where the VLAN is the only one of its number, the number says all.
    {
      key: 'vlan',
      value: vlans.isOnly(vlanId, vlan_id, [datacenter])
        ? ''
        : (vlan?.name ?? (vlan_id ? '' : labelVlan(mapping, vlanId))),
    },
    { key: 'folder', value: master?.isFolder === '1' ? tables.label('subnets', masterSubnetId) : '' },
    { key: 'location', value: datacenter ? '' : tables.label('locations', location) },
  ]
  return compact({
    name: trimText(report, { what: 'subnets.description', id }, description) || subnet,
    subnet,
    space: space === '' ? undefined : { ref: `phpipam:${space}` },
    vlan_id,
    datacenter,
    description: report.describe('subnets', id, '', lines),
    custom: mapping.custom.of('subnets', row),
    refs: toRefs('subnet', id),
  })
}

export const buildSubnets = (mapping: Mapping, { spaces, vlans }: Made): Subnets => {
  const indexes = new Map([['', new SubnetIndex<Subnet>()]])
  const holding = (ip: Ip): Subnet | undefined => {
    for (const index of indexes.values()) {
      const subnet = index.holding(ip)
      if (subnet) return subnet
    }
    return undefined
  }
  const found: Subnets = { rows: [], byId: new Map(), holding }
  for (const row of mapping.tables.of('subnets')) {
    const { id } = row
    const cidr = readCidr(row)
    if (id === undefined || found.byId.has(id)) continue
    if (row.isFolder === '1' || !cidr) continue
    mapping.done.add(row)
    const space = spaces.of(row)
    const subnet = { row, cidr, ref: toRef('subnet', id), key: `subnet.${id}`, space }
    const index = indexes.get(space) ?? new SubnetIndex()
    indexes.set(space, index)
    index.add(cidr, subnet)
    found.byId.set(id, subnet)
    found.rows.push(toRow(mapping, vlans, { id, row, cidr, space }))
  }
  return found
}
