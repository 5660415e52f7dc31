/** Prefixes and aggregates become networks, ranges become pools. */
import { type Cidr, formatCidr, parseCidr, toCidr } from '../../net/cidr.ts'
import { compareIp, formatIp, getAddressBits, type Ip, parseIp } from '../../net/ip.ts'
import { SubnetIndex } from '../../net/subnet-index.ts'
import type { EstateRow } from '../converter.ts'
import { compact, filterTags } from '../rows/row-text.ts'
import { parseVlanNumber, type VlanRows } from '../rows/vlan-rows.ts'
import { addRow, listLines, type Mapping, type RowRef, toRef, toRefs, toText } from './mapping.ts'
import { listPlaceLines, toPlaceRef } from './places.ts'
import { listIn, type NetboxObject } from './read/objects.ts'
import { getSpace } from './spaces.ts'
import { VLAN } from './vlans.ts'

const PREFIX = 'ipam.prefix'
const AGGREGATE = 'ipam.aggregate'
const RANGE = 'ipam.iprange'

/** A network of the document. */
export type MadeNetwork = { readonly cidr: Cidr; readonly ref: RowRef; readonly key: string }
/** A pool of the document, in the VRF of its network. */
export type MadePool = { readonly first: Ip; readonly last: Ip; readonly item: RowRef }

/** The networks of the document, by VRF. */
export class Networks {
  readonly rows: EstateRow[] = []
  readonly #byVrf = new Map<unknown, SubnetIndex<MadeNetwork>>()

  add(vrf: unknown, network: MadeNetwork): void {
    const index = this.#byVrf.get(vrf) ?? new SubnetIndex()
    this.#byVrf.set(vrf, index)
    index.add(network.cidr, network)
  }

  /** Returns the most specific network of a VRF that holds the addresses. */
  holding(vrf: unknown, first: Ip, last: Ip = first): MadeNetwork | undefined {
    return this.#byVrf.get(vrf)?.holding(first, last)
  }
}

/** Parses an address with its mask. A database leaves out the mask of a single address. */
export const parseInterface = (value: unknown): { readonly ip: Ip; readonly prefix: number } | undefined => {
  if (typeof value !== 'string') return undefined
  const slash = value.indexOf('/')
  const ip = parseIp(slash < 0 ? value : value.slice(0, slash))
  if (!ip) return undefined
  const prefix = slash < 0 ? getAddressBits(ip.family) : parseCidr(value)?.prefix
  return prefix === undefined ? undefined : { ip, prefix }
}

const parseBlock = (value: unknown): Cidr | undefined => {
  const parsed = parseInterface(value)
  return parsed && toCidr(parsed.ip, parsed.prefix)
}

/** The rows of the document that a prefix adds to or asks. */
type Making = { readonly networks: Networks; readonly vlans: VlanRows }

const PREFIX_USED = new Set('prefix description site scope_type scope_id vlan vrf role status tags'.split(' '))

const addPrefix = (mapping: Mapping, { networks, vlans }: Making, object: NetboxObject): void => {
  const { model, report } = mapping
  const cidr = parseBlock(object.prefix)
  if (!cidr) return
  const { id, vlan, vrf } = object
  const subnet = formatCidr(cidr)
  const vlanObject = model.find(VLAN, vlan)
  const vlan_id = parseVlanNumber(vlanObject?.vid)
  const place = mapping.places.find(object)
  // Where the VLAN is the only one of its number, the number says all.
  const isTold = vlan === undefined || vlans.isOnly(vlan, vlan_id, mapping.places.listUp(place).map(toPlaceRef))
  const vlanLine = isTold ? undefined : (vlanObject?.name ?? (vlan_id ? undefined : model.label(VLAN, vlan)))
  const lines = [
    ...listLines(mapping, { kind: PREFIX, object, used: PREFIX_USED }),
    ...listPlaceLines(mapping, object),
    { key: 'vlan', value: vlanLine },
  ]
  const row = compact({
    name: toText(mapping, { kind: PREFIX, id, field: 'description' }, object.description) || subnet,
    subnet,
    space: getSpace(object),
    vlan_id,
    datacenter: toPlaceRef(place),
    description: report.describe(PREFIX, id, '', lines),
    custom: mapping.custom.of(PREFIX, object),
    refs: toRefs(PREFIX, id),
  })
  addRow(networks.rows, mapping, { kind: PREFIX, object, row })
  networks.add(vrf, { cidr, ref: toRef(PREFIX, id), key: `${PREFIX}.${id}` })
}

const AGGREGATE_USED = new Set(['prefix', 'description', 'rir', 'tags'])

const addAggregate = (mapping: Mapping, networks: Networks, object: NetboxObject): void => {
  const cidr = parseBlock(object.prefix)
  if (!cidr) return
  const { id } = object
  const subnet = formatCidr(cidr)
  const row = compact({
    name: toText(mapping, { kind: AGGREGATE, id, field: 'description' }, object.description) || subnet,
    subnet,
    description: mapping.report.describe(
      AGGREGATE,
      id,
      '',
      listLines(mapping, { kind: AGGREGATE, object, used: AGGREGATE_USED }),
    ),
    custom: mapping.custom.of(AGGREGATE, object),
    refs: toRefs(AGGREGATE, id),
  })
  addRow(networks.rows, mapping, { kind: AGGREGATE, object, row })
  networks.add(undefined, { cidr, ref: toRef(AGGREGATE, id), key: `${AGGREGATE}.${id}` })
}

export const buildNetworks = (mapping: Mapping, vlans: VlanRows): Networks => {
  const networks = new Networks()
  const subnets = new Set<string>()
  for (const object of mapping.model.of(PREFIX)) {
    addPrefix(mapping, { networks, vlans }, object)
    const cidr = parseBlock(object.prefix)
    if (cidr && object.vrf === undefined) subnets.add(formatCidr(cidr))
  }
  for (const object of mapping.model.of(AGGREGATE)) {
    const cidr = parseBlock(object.prefix)
    if (!cidr || !subnets.has(formatCidr(cidr))) addAggregate(mapping, networks, object)
  }
  return networks
}

const RANGE_USED = new Set('start_address end_address description role status tags size vrf'.split(' '))

const buildRangeRow = (mapping: Mapping, object: NetboxObject, network: MadeNetwork, range: MadePool): EstateRow => {
  const { id } = object
  const [first, last] = [formatIp(range.first), formatIp(range.last)]
  return compact({
    name: toText(mapping, { kind: RANGE, id, field: 'description' }, object.description) || `${first}-${last}`,
    network: network.ref,
    start_ip: first,
    end_ip: last,
    description: mapping.report.describe(RANGE, id, '', listLines(mapping, { kind: RANGE, object, used: RANGE_USED })),
    tags: filterTags(mapping.report, { what: `${RANGE}.tags`, id }, mapping.model.tags(object)),
    custom: mapping.custom.of(RANGE, object),
    refs: toRefs(RANGE, id),
  })
}

export type Pools = { readonly rows: EstateRow[]; readonly byVrf: Map<unknown, MadePool[]> }

export const buildPools = (mapping: Mapping, networks: Networks): Pools => {
  const pools: Pools = { rows: [], byVrf: new Map() }
  for (const object of mapping.model.of(RANGE)) {
    const first = parseInterface(object.start_address)?.ip
    const last = parseInterface(object.end_address)?.ip
    // A range that makes no row is left over.
    if (!first || !last || compareIp(first, last) > 0) continue
    const network = networks.holding(object.vrf, first, last)
    if (!network) continue
    const pool = { first, last, item: toRef(RANGE, object.id) }
    addRow(pools.rows, mapping, { kind: RANGE, object, row: buildRangeRow(mapping, object, network, pool) })
    listIn(pools.byVrf, object.vrf).push(pool)
  }
  return pools
}
