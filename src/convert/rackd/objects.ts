/** Circuits with their providers, and rules of translation, become objects of packs. */
import type { EstateRow } from '../converter.ts'
import { ObjectRows } from '../objects/object-rows.ts'
import { fitsPackField } from '../objects/packs.ts'
import type { Line } from '../report-builder.ts'
import type { RackdCustom } from './custom-fields.ts'
import { findRef, type Ids, listDanglingLine, listLines, type Mapping } from './mapping.ts'
import type { SqlRow } from './sqlite-file.ts'

const CIRCUITS = 'circuits'
const RULES = 'nat_mappings'

const STATUS: Readonly<Record<string, string>> = {
  ...{ active: 'active', maintenance: 'offline', down: 'offline', decommissioned: 'decommissioned' },
}

const KBPS_OF_MBPS = 1000

const toRefs = (table: string, id: string) => ({ rackd: `${table}.${id}` })

/** Returns the day of a time: `2026-01-02 03:04:05+00:00`. */
const toDay = (value: unknown): string | undefined =>
  value === undefined ? undefined : /^\d{4}-\d\d-\d\d/.exec(String(value))?.[0]

/** Returns a line for tags, which are a list in JSON. */
const listTagLines = ({ tags }: SqlRow): Line[] => {
  try {
    const list: unknown = JSON.parse(String(tags ?? '[]'))
    return [{ key: 'tags', value: Array.isArray(list) ? list.map(String).join(', ') : tags }]
  } catch {
    return [{ key: 'tags', value: tags }]
  }
}

type Parts = {
  readonly table: string
  readonly kind: string
  readonly id: string
  readonly row: SqlRow
  readonly name: unknown
  readonly used: readonly string[]
  readonly values: EstateRow
  readonly lines: readonly Line[]
}

/** The objects of a file. */
class Objects {
  readonly rows: ObjectRows
  readonly #mapping: Mapping
  readonly #ids: Ids
  readonly #custom: RackdCustom
  readonly #providers = new Map<string, string>()

  constructor(mapping: Mapping, ids: Ids, custom: RackdCustom) {
    this.#mapping = mapping
    this.#ids = ids
    this.#custom = custom
    this.rows = new ObjectRows(mapping.report)
    for (const [id, row] of mapping.tables.byId(CIRCUITS)) this.#addCircuit(id, row)
    for (const [id, row] of mapping.tables.byId(RULES)) this.#addRule(id, row)
  }

  #add({ table, kind, id, row, name, used, values, lines }: Parts): void {
    const { report, done } = this.#mapping
    const fits = ([field, value]: [string, unknown]) => fitsPackField(kind, field, value)
    const given = Object.entries(values).filter(([, value]) => value !== undefined)
    this.rows.add({
      kind,
      place: { what: table, id },
      name: String(name ?? ''),
      description: report.describe(table, id, String(row.description ?? ''), [
        ...given.filter((one) => !fits(one)).map(([key, value]) => ({ key, value })),
        ...lines,
        ...listLines(this.#mapping, { table, row, used: new Set(['description', 'tags', ...used]) }).filter(isSaid),
        ...listTagLines(row),
      ]),
      custom: this.#custom.ofKind(kind, Object.fromEntries(given.filter(fits)), { what: table, id }),
      refs: toRefs(table, id),
    })
    done.add(row)
  }

  /** Adds a provider once, in whatever case circuits have its name. */
  #provider(given: unknown): EstateRow {
    const name = String(given ?? '').trim() || 'unknown'
    const key = name.toLowerCase()
    const known = this.#providers.get(key) ?? `provider.${key}`.slice(0, 190).toWellFormed()
    if (!this.#providers.has(key))
      this.rows.add({
        kind: 'providers',
        place: { what: `${CIRCUITS}.provider`, id: name },
        name,
        refs: { rackd: known },
      })
    this.#providers.set(key, known)
    return { ref: `rackd:${known}` }
  }

  #addCircuit(id: string, row: SqlRow): void {
    const { datacenters } = this.#ids
    const { name, circuit_id, provider, type, capacity_mbps, datacenter_a_id: a, datacenter_b_id: z } = row
    const [a_place, z_place] = [findRef(datacenters, a), findRef(datacenters, z)]
    const status = STATUS[String(row.status ?? 'active')]
    const mbps = Number(capacity_mbps ?? 0)
    this.#add({
      ...{ table: CIRCUITS, kind: 'circuits', id, row, name: circuit_id ?? name },
      used: [
        ...['circuit_id', 'provider', 'type', 'capacity_mbps', 'datacenter_a_id', 'datacenter_b_id', 'status', 'name'],
        ...['install_date', 'terminate_date', 'device_a_id', 'device_b_id'],
      ],
      values: {
        ...{ provider: this.#provider(provider), type, status, a_place, z_place },
        install_date: toDay(row.install_date),
        end_date: toDay(row.terminate_date),
        commit_kbps: mbps > 0 ? mbps * KBPS_OF_MBPS : undefined,
      },
      lines: [
        { key: 'name', value: circuit_id === undefined || name === circuit_id ? '' : name },
        { key: 'status', value: status === row.status ? '' : row.status },
        ...listDanglingLine('datacenter_a_id', a, a_place),
        ...listDanglingLine('datacenter_b_id', z, z_place),
        { key: 'device_a', value: this.#nameDevice(row.device_a_id) },
        { key: 'device_b', value: this.#nameDevice(row.device_b_id) },
      ],
    })
  }

  #addRule(id: string, row: SqlRow): void {
    const { external_ip, internal_ip, external_port, internal_port, protocol, enabled, device_id } = row
    const isListed = typeof device_id === 'string' && this.#mapping.tables.byId('devices').has(device_id)
    const toPort = (port: unknown) => (port === undefined || port === 0 ? undefined : String(port))
    const [inside, outside] = [internal_ip, external_ip].map((ip) => (ip === undefined ? undefined : [String(ip)]))
    this.#add({
      ...{ table: RULES, kind: 'nat-rules', id, row, name: row.name },
      used: [
        ...['name', 'external_ip', 'internal_ip', 'external_port', 'internal_port', 'protocol', 'enabled'],
        ...(isListed ? ['device_id'] : []),
      ],
      values: {
        // A mapping leads from an address outside to one inside.
        ...{ type: 'destination', inside, outside, protocol },
        inside_port: toPort(internal_port),
        outside_port: toPort(external_port),
        device: isListed ? { id: device_id } : undefined,
        enabled: enabled === undefined ? undefined : enabled !== 0,
      },
      lines: [],
    })
  }

  #nameDevice(id: unknown): unknown {
    return (typeof id === 'string' && this.#mapping.tables.byId('devices').get(id)?.name) || id
  }
}

/** Zero is no VLAN and no cost. */
const isSaid = ({ key, value }: Line): boolean => !(value === 0 && (key === 'vlan_id' || key === 'monthly_cost'))

export const buildObjects = (mapping: Mapping, ids: Ids, custom: RackdCustom): ObjectRows =>
  new Objects(mapping, ids, custom).rows
