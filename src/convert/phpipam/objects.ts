/** Customers, circuits, rules of translation and BGP peers become objects of packs. */
import { isRecord } from '../../contract/unknown.ts'
import { formatCidr } from '../../net/cidr.ts'
import { formatIp } from '../../net/ip.ts'
import { ObjectRows } from '../objects/object-rows.ts'
import { fitsPackField } from '../objects/packs.ts'
import { addObject, listNumbered } from './add-object.ts'
import { parseAddress, readCidr } from './blocks.ts'
import { addCircuits } from './circuits.ts'
import { type Mapping, type RowRef, toRef, toRefs } from './mapping.ts'

const addCustomers = (mapping: Mapping, rows: ObjectRows): void => {
  for (const { id, row } of listNumbered(mapping, 'customers'))
    addObject(mapping, rows, {
      ...{ table: 'customers', row, id, kind: 'tenants', ref: 'customer', name: row.title ?? '' },
      used: ['title', ...(row.status === 'Active' ? ['status'] : [])],
    })
}

type Sides = { readonly ips: string[]; readonly others: string[] }

/** Returns the addresses and the subnets of a side of a rule: `{"subnets":["3"],"ipaddresses":["1"]}`. */
const readSide = ({ tables }: Mapping, text: string | undefined): Sides => {
  let value: unknown
  try {
    value = JSON.parse(text ?? '{}')
  } catch {
    return { ips: [], others: [String(text)] }
  }
  if (!isRecord(value)) return { ips: [], others: [] }
  const list = (key: string) => (Array.isArray(value[key]) ? value[key].map(String) : [])
  const addresses = list('ipaddresses').map((id) => ({ id, row: tables.find('addresses', id) }))
  return {
    ips: addresses.flatMap(({ row }) => {
      const ip = row && parseAddress(row.ip_addr)
      return ip ? [formatIp(ip)] : []
    }),
    others: [
      ...addresses.flatMap(({ id, row }) => (row && parseAddress(row.ip_addr) ? [] : [`address #${id}`])),
      ...list('subnets').map((id) => {
        const row = tables.find('subnets', id)
        const cidr = row && readCidr(row)
        return cidr ? formatCidr(cidr) : `subnet #${id}`
      }),
    ],
  }
}

const addNatRules = (mapping: Mapping, rows: ObjectRows): void => {
  for (const { id, row } of listNumbered(mapping, 'nat')) {
    const [src, dst] = [readSide(mapping, row.src), readSide(mapping, row.dst)]
    // The source of a destination NAT is the address outside.
    const isOutsideFirst = row.type === 'destination'
    const [inside, outside] = isOutsideFirst ? [dst, src] : [src, dst]
    const ports = isOutsideFirst ? [row.dst_port, row.src_port] : [row.src_port, row.dst_port]
    const [inside_port, outside_port] = ports.map((port) => (port === '0' ? undefined : port))
    const isListed = mapping.tables.find('devices', row.device) !== undefined
    addObject(mapping, rows, {
      ...{ table: 'nat', row, id, kind: 'nat-rules', ref: 'nat', name: row.name ?? '' },
      used: [
        ...['name', 'type', 'src', 'dst', 'src_port', 'dst_port', ...(isListed ? ['device'] : [])],
        ...(row.policy === 'No' ? ['policy'] : []),
      ],
      values: {
        type: row.type,
        inside: inside.ips.length > 0 ? inside.ips : undefined,
        outside: outside.ips.length > 0 ? outside.ips : undefined,
        ...{ inside_port, outside_port },
        device: isListed ? toRef('device', row.device ?? '') : undefined,
      },
      lines: [
        { key: 'inside', value: inside.others.join(', ') },
        { key: 'outside', value: outside.others.join(', ') },
      ],
    })
  }
}

/** Adds the number of an autonomous system once. */
const createAsNumbers = (mapping: Mapping, rows: ObjectRows) => {
  const made = new Set<string>()
  return (text: string | undefined): RowRef | undefined => {
    const asn = Number(text)
    if (!fitsPackField('as-numbers', 'asn', asn)) return undefined
    const id = String(asn)
    if (!made.has(id))
      rows.add({
        kind: 'as-numbers',
        place: { what: 'routing_bgp', id },
        name: `AS${id}`,
        custom: mapping.custom.ofKind('as-numbers', { asn }, { what: 'routing_bgp', id }),
        refs: toRefs('as', id),
      })
    made.add(id)
    return toRef('as', id)
  }
}

const addBgpPeers = (mapping: Mapping, rows: ObjectRows): void => {
  const toAsNumber = createAsNumbers(mapping, rows)
  const subnets = Map.groupBy(mapping.tables.of('routing_subnets'), ({ object_id }) => object_id)
  for (const { id, row } of listNumbered(mapping, 'routing_bgp')) {
    const [local_as, peer_as] = [toAsNumber(row.local_as), toAsNumber(row.peer_as)]
    const own = (subnets.get(id) ?? []).filter(({ type }) => type === undefined || type === 'bgp')
    for (const one of own) mapping.done.add(one)
    addObject(mapping, rows, {
      ...{ table: 'routing_bgp', row, id, kind: 'bgp-peers', ref: 'bgp' },
      name: row.peer_name ?? row.peer_address ?? '',
      used: [
        ...['peer_name', 'local_address', 'peer_address'],
        ...(local_as ? ['local_as'] : []),
        ...(peer_as ? ['peer_as'] : []),
      ],
      values: { local_as, peer_as, local_address: row.local_address, peer_address: row.peer_address },
      lines: own.map(({ direction, subnet_id }) => {
        const subnet = mapping.tables.find('subnets', subnet_id)
        const cidr = subnet && readCidr(subnet)
        return {
          key: direction ?? 'subnet',
          value: cidr ? formatCidr(cidr) : mapping.tables.label('subnets', subnet_id),
          field: 'routing_subnets.subnet_id',
        }
      }),
    })
  }
}

export const buildObjects = (mapping: Mapping): ObjectRows => {
  const rows = new ObjectRows(mapping.report)
  addCustomers(mapping, rows)
  addCircuits(mapping, rows)
  addNatRules(mapping, rows)
  addBgpPeers(mapping, rows)
  return rows
}
