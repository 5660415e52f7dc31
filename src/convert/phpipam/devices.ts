/** Devices and addresses with a host name become devices. */
import { cidrHolds } from '../../net/cidr.ts'
import { isHostname } from '../../net/dns-name.ts'
import { formatIp, type Ip } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import type { EstateRow } from '../converter.ts'
import type { Line } from '../report-builder.ts'
import { compact, MAX_ADDRESSES, MAX_INTERFACE, MAX_ROLE, trimText } from '../rows/row-text.ts'
import { parseAddress } from './blocks.ts'
import { findDatacenter, listLines, type Mapping, toRefs } from './mapping.ts'
import { buildMount, labelRack, type Racks } from './racks.ts'
import type { Subnet, Subnets } from './subnets.ts'
import type { Row } from './tables.ts'

/** An address of the source, with its subnet if that is in the document and holds it. */
export type Address = { readonly row: Row; readonly id: string; readonly ip: Ip; readonly subnet: Subnet | undefined }

/** A device of the document before it is a row. */
type Machine = {
  readonly name: string
  readonly ref: readonly [string, string]
  readonly device?: Row
  readonly addresses: Address[]
}

const DEVICE_USED = new Set('hostname ip_addr description type location rack rack_start rack_size rack_deep'.split(' '))
const ADDRESS_USED = new Set('subnetId ip_addr hostname description switch port location mac'.split(' '))

/** Returns the addresses of the source. Invalid addresses are left over. */
export const collectAddresses = ({ tables, report, done }: Mapping, subnets: Subnets): Address[] =>
  tables.of('addresses').flatMap((row) => {
    const { id, subnetId = '' } = row
    done.add(row)
    const subnet = subnets.byId.get(subnetId)
    const ip = parseAddress(row.ip_addr, subnet?.cidr.family)
    if (id !== undefined && ip && tables.find('addresses', id) === row)
      return [{ row, id, ip, subnet: subnet && cidrHolds(subnet.cidr, ip) ? subnet : undefined }]
    report.left('addresses', ip ? 'has no number, or stands in the file twice' : 'is not an address', row)
    return []
  })

/** Returns a text for an address in its space, which other spaces may have as well. */
export const buildAddressKey = (ip: Ip, subnet: Subnet | undefined): string => `${subnet?.space ?? ''} ${formatIp(ip)}`

export const isReserved = ({ row }: Address): boolean => row.state === '3' || row.state === '4'

/** Groups addresses by the machine that has them: a host name stands for one, in any case. */
const collectMachines = ({ tables, done }: Mapping, subnets: Subnets, addresses: readonly Address[]): Machine[] => {
  const machines: Machine[] = []
  const byName = new Map<string, Machine>()
  const byIp = new Map<string, Machine>()
  for (const device of tables.of('devices')) {
    const { id, hostname = '', ip_addr } = device
    if (id === undefined || tables.find('devices', id) !== device) continue
    done.add(device)
    const ip = parseAddress(ip_addr)
    const name = hostname.trim() || (ip ? formatIp(ip) : `device #${id}`)
    const machine: Machine = { name, ref: ['device', id], device, addresses: [] }
    machines.push(machine)
    if (!byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), machine)
    const key = ip && buildAddressKey(ip, subnets.holding(ip))
    if (key !== undefined && !byIp.has(key)) byIp.set(key, machine)
  }
  for (const address of addresses) {
    const { row, id, ip, subnet } = address
    const name = (row.hostname ?? '').trim()
    if (name === '' && isReserved(address)) continue
    const known = name === '' ? byIp.get(buildAddressKey(ip, subnet)) : byName.get(name.toLowerCase())
    if (known) {
      known.addresses.push(address)
      continue
    }
    const text = name || (row.description ?? '').trim() || formatIp(ip)
    const machine: Machine = { name: text, ref: ['address', id], addresses: [address] }
    machines.push(machine)
    if (name !== '') byName.set(name.toLowerCase(), machine)
  }
  return machines
}

/** Returns the port of an address: its own, if the row names no other device, else that of the switch at the other end. */
const getPortFields = ({ tables, report }: Mapping, { row, id }: Address, own: Row | undefined) => {
  const { port = '', switch: at } = row
  const place = { what: 'addresses.port', id }
  const device = tables.label('devices', at)
  const isOwn = device === '' || (own !== undefined && tables.find('devices', at) === own && port !== '')
  return isOwn
    ? { interface: trimText(report, place, port, MAX_INTERFACE) }
    : { switch_port: trimText(report, place, `${device} ${port}`) }
}

type Placed = { readonly rows: EstateRow[]; readonly lines: Line[]; readonly description: string }

class MachineRows {
  readonly #mapping: Mapping
  readonly #subnets: Subnets
  readonly #racks: Racks
  readonly #taken: Set<string>

  constructor(mapping: Mapping, { subnets, racks }: Made, taken: Set<string>) {
    this.#mapping = mapping
    this.#subnets = subnets
    this.#racks = racks
    this.#taken = taken
  }

  row(machine: Machine): EstateRow {
    const { name, ref, device } = machine
    const { report, tables } = this.#mapping
    const [kind, id] = ref
    const table = kind === 'device' ? 'devices' : 'addresses'
    const placed = this.#addresses(machine)
    const lines = device ? listLines(this.#mapping, { table, row: device, used: DEVICE_USED }) : []
    const location = this.#locationOf(machine)
    const datacenter = findDatacenter(this.#mapping, location)
    if (!datacenter) lines.push({ key: 'location', value: tables.label('locations', location) })
    const mount = device && buildMount(this.#mapping, this.#racks, device, datacenter)
    return compact({
      name: trimText(report, { what: `${table}.hostname`, id }, name),
      hostname: isHostname(name) && !parseAddress(name) ? name : '',
      role: device && this.#roleOf(device, id),
      datacenter,
      location: device && !mount ? trimText(report, { what: 'devices.rack', id }, this.#rackOf(device)) : '',
      mount,
      addresses: placed.rows,
      description: report.describe(table, id, placed.description, [...lines, ...placed.lines]),
      custom: device && this.#mapping.custom.of('devices', device),
      refs: toRefs(kind, id),
    })
  }

  /** The name of the type of a device. */
  #roleOf({ type }: Row, id: string): string {
    const { tables, report, done } = this.#mapping
    const row = tables.find('deviceTypes', type)
    if (row) done.add(row)
    return trimText(report, { what: 'devices.type', id }, tables.label('deviceTypes', type), MAX_ROLE)
  }

  #rackOf({ rack, rack_start: start }: Row): string {
    const unit = start === undefined || start === '0' ? '' : `U${start}`
    return [labelRack(this.#mapping, rack), unit].filter((part) => part !== '').join(', ')
  }

  /** The location of the device, else that of the first address or subnet with one. */
  #locationOf({ device, addresses }: Machine): string | undefined {
    const all = [device?.location, ...addresses.flatMap(({ row, subnet }) => [row.location, subnet?.row.location])]
    return all.find((location) => location !== undefined && location !== '0')
  }

  #addresses(machine: Machine): Placed {
    const { report } = this.#mapping
    const { name, device, addresses } = machine
    const isOnly = !device && addresses.length === 1
    const placed: Placed = {
      rows: [],
      lines: [],
      description: device?.description ?? (isOnly ? this.#descriptionOf(name, addresses[0]?.row) : ''),
    }
    const own = new Set<string>()
    const deviceIp = parseAddress(device?.ip_addr)
    const add = (ip: Ip, subnet: Subnet | undefined, more: EstateRow = {}) => {
      own.add(buildAddressKey(ip, subnet))
      this.#taken.add(buildAddressKey(ip, subnet))
      placed.rows.push(compact({ ip: formatIp(ip), network: subnet?.ref, ...more }))
    }
    if (deviceIp && !addresses.some(({ ip }) => formatIp(ip) === formatIp(deviceIp)))
      add(deviceIp, this.#subnets.holding(deviceIp))
    for (const address of addresses) {
      const ip = formatIp(address.ip)
      const isTwice = own.has(buildAddressKey(address.ip, address.subnet))
      if (isTwice || own.size === MAX_ADDRESSES) {
        report.left(
          'addresses',
          isTwice ? 'is on its device twice' : 'is beyond the addresses of a device',
          address.row,
        )
        continue
      }
      add(address.ip, address.subnet, {
        ...getPortFields(this.#mapping, address, device),
        mac_address: parseMac(address.row.mac ?? ''),
        custom: this.#mapping.custom.of('addresses', address.row),
      })
      placed.lines.push(...this.#linesOf(address, isOnly ? '' : `${ip} `))
    }
    return placed
  }

  /** A description that is the name of its device is not told again. */
  #descriptionOf(name: string, row: Row | undefined): string {
    const { description = '', hostname } = row ?? {}
    return hostname === undefined && description.trim() === name ? '' : description
  }

  #linesOf(address: Address, before: string): Line[] {
    const { tables } = this.#mapping
    const { row, subnet } = address
    const lines = listLines(this.#mapping, { table: 'addresses', row, used: ADDRESS_USED })
    if (before !== '') lines.unshift({ key: 'description', value: row.description })
    if (row.mac !== undefined && parseMac(row.mac) === undefined) lines.push({ key: 'mac', value: row.mac })
    if (!subnet) lines.push({ key: 'subnet', value: tables.label('subnets', row.subnetId) })
    // A device has one place, and its addresses may say others.
    if (before !== '') lines.push({ key: 'location', value: tables.label('locations', row.location) })
    return lines.map(({ key, value }) => ({ key: before + key, value, field: `addresses.${key}` }))
  }
}

type Made = { readonly subnets: Subnets; readonly racks: Racks }

export const buildDevices = (
  mapping: Mapping,
  made: Made,
  addresses: readonly Address[],
): { rows: EstateRow[]; taken: Set<string> } => {
  const taken = new Set<string>()
  const maker = new MachineRows(mapping, made, taken)
  return { rows: collectMachines(mapping, made.subnets, addresses).map((machine) => maker.row(machine)), taken }
}
