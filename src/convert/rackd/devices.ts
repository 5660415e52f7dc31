/** Devices of rackd, with their addresses, tags, domains and custom fields, and their relationships. */

import { DeviceStatus } from '../../inventory/devices/schema.ts'
import { RelationshipType } from '../../inventory/relationships/api.ts'
import { isDomainName, isHostname } from '../../net/dns-name.ts'
import { compareIp, formatIp, type Ip } from '../../net/ip.ts'
import type { EstateRow } from '../converter.ts'
import type { Line } from '../report-builder.ts'
import { compact, filterTags, MAX_ADDRESSES, MAX_LABEL } from '../rows/row-text.ts'
import type { RackdCustom } from './custom-fields.ts'
import {
  findRef,
  hasAddresses,
  type IdRef,
  type Ids,
  listDanglingLine,
  listLines,
  type Mapping,
  toIp,
  toText,
} from './mapping.ts'
import type { SqlRow } from './sqlite-file.ts'

const USED = new Set('name hostname description make_model os status datacenter_id username location'.split(' '))
const MAX_TYPE = 64
const MAX_PORT = 65_535

/** The tables that hold parts of devices, by device. */
type Parts = Readonly<Record<'addresses' | 'tags' | 'domains' | 'custom_field_values', ReadonlyMap<unknown, SqlRow[]>>>

class DeviceRows {
  readonly #mapping: Mapping
  readonly #ids: Ids
  readonly #parts: Parts
  readonly taken = new Set<string>()
  readonly #custom: RackdCustom

  constructor(mapping: Mapping, ids: Ids, custom: RackdCustom) {
    const of = (table: keyof Parts) => mapping.tables.grouped(table, 'device_id')
    this.#mapping = mapping
    this.#ids = ids
    this.#custom = custom
    this.#parts = {
      addresses: of('addresses'),
      tags: of('tags'),
      domains: of('domains'),
      custom_field_values: of('custom_field_values'),
    }
  }

  row(id: string, row: SqlRow): EstateRow {
    const { report } = this.#mapping
    this.#mapping.done.add(row)
    const text = (field: string) => toText(this.#mapping, [`devices.${field}`, id], row[field])
    const hostname = text('hostname')
    const status = DeviceStatus.safeParse(row.status).data
    const datacenter = findRef(this.#ids.datacenters, row.datacenter_id)
    const addresses = this.#addresses(id)
    const domains = this.#texts('domains', 'domain', id)
    const line = (key: string, value: unknown, isShown: boolean): Line[] => (isShown ? [{ key, value }] : [])
    return compact({
      id,
      name: text('name') || id,
      hostname: isHostname(hostname) ? hostname : '',
      make_model: text('make_model'),
      os: text('os'),
      status,
      datacenter,
      username: text('username'),
      location: text('location'),
      tags: filterTags(report, { what: 'tags', id }, this.#texts('tags', 'tag', id)),
      addresses: addresses.rows,
      domains: domains.filter(isDomainName),
      description: report.describe('devices', id, String(row.description ?? ''), [
        ...line('hostname', hostname, hostname !== '' && !isHostname(hostname)),
        ...line('status', row.status, status === undefined),
        ...listDanglingLine('datacenter_id', row.datacenter_id, datacenter),
        ...listLines(this.#mapping, { table: 'devices', row, used: USED }),
        ...domains
          .filter((name) => !isDomainName(name))
          .map((value) => ({ key: 'domain', value, field: 'domains.domain' })),
        ...addresses.lines,
      ]),
      custom: this.#custom.of(id, this.#of('custom_field_values', id)),
    })
  }

  #of(table: keyof Parts, id: string): SqlRow[] {
    const rows = this.#parts[table].get(id) ?? []
    for (const row of rows) this.#mapping.done.add(row)
    return rows
  }

  #texts(table: 'tags' | 'domains', column: string, id: string): string[] {
    return this.#of(table, id).map((row) => String(row[column] ?? '').trim())
  }

  #addresses(id: string): { rows: EstateRow[]; lines: Line[] } {
    const rows: EstateRow[] = []
    const lines: Line[] = []
    for (const address of this.#of('addresses', id)) {
      const ip = toIp(address.ip)
      if (!ip || rows.length === MAX_ADDRESSES) {
        this.#mapping.report.left(
          'addresses',
          ip ? 'is beyond the addresses of a device' : 'is not an address',
          address,
        )
        continue
      }
      this.taken.add(formatIp(ip))
      const made = this.#address(ip, address)
      rows.push(made.row)
      lines.push(
        ...made.lines.map(({ key, value }) => ({ key: `${formatIp(ip)} ${key}`, value, field: `addresses.${key}` })),
      )
    }
    return { rows, lines }
  }

  #address(ip: Ip, address: SqlRow): { row: EstateRow; lines: Line[] } {
    const { network_id, pool_id, port } = address
    const network = this.#within('networks', network_id, (row) => hasAddresses(row.subnet, ip))
    const pool = this.#within('network_pools', pool_id, (row) => isInPool(row, ip))
    const text = (field: string, max?: number) =>
      toText(this.#mapping, [`addresses.${field}`, address.id], address[field], max)
    const hasPort = Number.isInteger(port) && Number(port) >= 1 && Number(port) <= MAX_PORT
    const row = compact({
      ip: formatIp(ip),
      port: hasPort ? port : undefined,
      type: text('type', MAX_TYPE),
      label: text('label', MAX_LABEL),
      network,
      switch_port: text('switch_port'),
      pool,
    })
    const lines = [
      ...(hasPort || port === 0 ? [] : [{ key: 'port', value: port }]),
      ...listDanglingLine('network_id', network_id, network),
      ...listDanglingLine('pool_id', pool_id, pool),
    ]
    return { row, lines }
  }

  #within(table: 'networks' | 'network_pools', id: unknown, fits: (row: SqlRow) => boolean): IdRef | undefined {
    const found = findRef(table === 'networks' ? this.#ids.networks : this.#ids.pools, id)
    const row = found && this.#mapping.tables.byId(table).get(found.id)
    return row && fits(row) ? found : undefined
  }
}

export const isInPool = ({ start_ip, end_ip }: SqlRow, ip: Ip): boolean => {
  const [start, end] = [toIp(start_ip), toIp(end_ip)]
  return start !== undefined && end !== undefined && compareIp(start, ip) <= 0 && compareIp(ip, end) <= 0
}

export const buildDevices = (
  mapping: Mapping,
  ids: Ids,
  custom: RackdCustom,
): { rows: EstateRow[]; taken: Set<string> } => {
  const maker = new DeviceRows(mapping, ids, custom)
  const rows = [...mapping.tables.byId('devices')].map(([id, row]) => maker.row(id, row))
  return { rows, taken: maker.taken }
}

export const buildRelationships = (mapping: Mapping): EstateRow[] => {
  const devices = mapping.tables.byId('devices')
  const known = new Set<string>()
  return mapping.tables.of('device_relationships').flatMap((row) => {
    const { parent_id: parent, child_id: child, notes } = row
    const type = RelationshipType.safeParse(row.type).data
    const key = `${parent} ${child} ${type}`
    if (typeof parent !== 'string' || typeof child !== 'string' || !type || parent === child) return []
    if (!devices.has(parent) || !devices.has(child) || known.has(key)) return []
    known.add(key)
    mapping.done.add(row)
    if (row.created_at !== undefined)
      mapping.report.left('device_relationships.created_at', 'Plat keeps its own times', row)
    const text = toText(mapping, ['device_relationships.notes', key], notes, 4096)
    return [compact({ parent: { id: parent }, child: { id: child }, type, notes: text })]
  })
}
