/** Builds the rows of machines: devices, their ports, addresses and parents, and networks. */

import { HOST_NAME } from '../../contract/fields/text-rules.ts'
import type { EstateRow } from '../../convert/converter.ts'
import { ReportBuilder } from '../../convert/report-builder.ts'
import { PortNames } from '../../convert/rows/port-names.ts'
import {
  compact,
  filterTags,
  MAX_ADDRESSES,
  MAX_INTERFACE,
  MAX_PORTS,
  MAX_SERIAL,
  trimText,
} from '../../convert/rows/row-text.ts'
import { isSecret } from '../../convert/secret-fields.ts'
import { formatCidr, parseCidr } from '../../net/cidr.ts'
import { formatIp, parseIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { computeReach } from '../../net/reach.ts'
import type { About, SnapshotRows } from './source-kind.ts'

export type MachineAddress = {
  readonly ip: string
  readonly label?: string
  /** The key of its space, if the source makes spaces. */
  readonly space?: string
}

export type Nic = {
  /** The name of the interface; '' if it is not known. */
  readonly name: string
  readonly mac?: string
  /** The VLAN of its untagged frames. */
  readonly vlanId?: number
  /** Undefined if they are not known: the inventory keeps its own then. */
  readonly addresses?: readonly MachineAddress[]
}

export type MachineType = 'host' | 'vm' | 'container' | 'appliance' | 'node'

export type Machine = {
  readonly key: string
  readonly type: MachineType
  /** Its key where it is empty. */
  readonly name: string
  readonly hostname?: string
  readonly place?: string
  readonly isRunning: boolean
  readonly tags?: readonly string[]
  readonly makeModel?: string
  readonly os?: string
  readonly serial?: string
  /** Undefined if they are not known. */
  readonly domains?: readonly string[]
  readonly facts?: Readonly<Record<string, unknown>>
  readonly nics?: readonly Nic[]
  /** Addresses of no interface. Undefined if they are not known. */
  readonly addresses?: readonly MachineAddress[]
  /** The key of the machine that contains it. */
  readonly parent?: string
  /** True if its ports are not known now. */
  readonly isPartial?: boolean
}

export type MachineNetwork = {
  readonly key: string
  readonly subnet: string
  /** The subnet where it is empty. */
  readonly name?: string
  readonly vlanId?: number
  readonly place?: string
  readonly description?: string
  /** The key of its space, if the source makes spaces. */
  readonly space?: string
}

export type MachineSpace = { readonly key: string; readonly name: string; readonly description?: string }

type ReadNics = Pick<Machine, 'key' | 'type'> & {
  readonly nics: readonly Nic[]
  readonly addresses: readonly MachineAddress[] | undefined
}

const TAGS: Readonly<Record<MachineType, string>> = {
  host: 'hypervisor',
  vm: 'vm',
  container: 'container',
  appliance: 'appliance',
  node: 'node',
}

const MAX_KEY = 190
const MAX_FACTS = 20
const TAKEN = 'its id is there twice, or longer than 190 characters'
const MAX_FACT_NAME = 32
const MAX_FACT = 255
/** Drops control characters and lone surrogates, which no field may have. */
const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()

/** Returns the texts of facts; other values as JSON. */
export const toFacts = (facts: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts)
      .flatMap(([name, value]) => {
        if (value === undefined || value === null || value === '' || isSecret(name)) return []
        const text = clean(typeof value === 'string' ? value : JSON.stringify(value))
        return text === '' ? [] : [[name.slice(0, MAX_FACT_NAME), text.slice(0, MAX_FACT).toWellFormed()]]
      })
      .slice(0, MAX_FACTS),
  )

export class MachineRows {
  readonly report = new ReportBuilder({ withLeftover: false })
  readonly #ref: string
  readonly #devices: EstateRow[] = []
  readonly #ports: EstateRow[] = []
  readonly #relationships: EstateRow[] = []
  readonly #networks: EstateRow[] = []
  readonly #spaces: EstateRow[] = []
  readonly #about = new Map<string, About>()
  readonly #contains: { readonly parent: string; readonly child: string }[] = []
  readonly #keys = new Set<string>()

  constructor(ref: string) {
    this.#ref = ref
  }

  machine({ key, type, isRunning, ...given }: Machine): void {
    this.report.read(type)
    const place = { what: type, id: key }
    if (!this.#takeKey(`devices ${key}`, key)) {
      this.report.left(type, TAKEN, { id: key })
      return
    }
    const name = this.#trim(type, key, 'name', given.name) || key
    const { ports, addresses } = this.#readNics({ key, type, nics: given.nics ?? [], addresses: given.addresses })
    const macs = ports.flatMap(({ mac_address }) => (typeof mac_address === 'string' ? [mac_address] : []))
    this.#devices.push(
      compact({
        name,
        hostname: this.#hostname(type, key, given.hostname),
        status: isRunning ? 'active' : 'maintenance',
        make_model: this.#trim(type, key, 'make_model', given.makeModel),
        os: this.#trim(type, key, 'os', given.os),
        serial: this.#trim(type, key, 'serial', given.serial, MAX_SERIAL),
        tags: filterTags(this.report, place, [TAGS[type], ...(given.tags ?? [])].map(clean)),
        refs: { [this.#ref]: key },
      }),
    )
    // An empty list means none; an absent one is unknown.
    const row = this.#devices.at(-1)
    if (row && addresses) row.addresses = addresses
    if (row && given.domains)
      row.domains = [...new Set(given.domains.flatMap((domain) => this.#hostname(type, key, domain) ?? []))]
    this.#ports.push(...ports)
    this.#about.set(`devices ${key}`, {
      type,
      ...(given.place && { place: clean(given.place).slice(0, MAX_FACT) }),
      facts: toFacts(given.facts),
      macs: type === 'container' ? [] : [...new Set(macs)],
      ...(given.isPartial && { isPartial: true }),
    })
    if (given.parent !== undefined) this.#contains.push({ parent: given.parent, child: key })
  }

  /** Counts a machine that is there, and of which nothing is known now. Its earlier rows stay. */
  unknown({ key, type, place }: Pick<Machine, 'key' | 'type' | 'place'>): void {
    this.report.read(type)
    if (!this.#takeKey(`devices ${key}`, key)) this.report.left(type, TAKEN, { id: key })
    else
      this.#about.set(`devices ${key}`, {
        type,
        ...(place && { place: clean(place).slice(0, MAX_FACT) }),
        isPartial: true,
      })
  }

  network({ key, subnet, name = '', vlanId, place, description, space }: MachineNetwork): void {
    this.report.read('network')
    const cidr = parseCidr(subnet)
    if (!cidr) {
      this.report.left('network', 'its subnet is no network', { id: key, subnet })
      return
    }
    if (!this.#takeKey(`networks ${key}`, key)) {
      this.report.left('network', TAKEN, { id: key })
      return
    }
    const text = formatCidr(cidr)
    this.#networks.push(
      compact({
        name: this.#trim('network', key, 'name', name) || text,
        subnet: text,
        ...(vlanId !== undefined && vlanId >= 1 && vlanId <= 4094 && { vlan_id: vlanId }),
        space: this.#referTo(space),
        description: this.#trim('network', key, 'description', description, 4096),
        refs: { [this.#ref]: key },
      }),
    )
    this.#about.set(`networks ${key}`, { type: 'network', ...(place && { place: clean(place).slice(0, MAX_FACT) }) })
  }

  space({ key, name, description }: MachineSpace): void {
    this.report.read('space')
    if (!this.#takeKey(`spaces ${key}`, key)) {
      this.report.left('space', TAKEN, { id: key })
      return
    }
    this.#spaces.push(
      compact({
        name: this.#trim('space', key, 'name', name) || key,
        description: this.#trim('space', key, 'description', description, 4096),
        refs: { [this.#ref]: key },
      }),
    )
    this.#about.set(`spaces ${key}`, { type: 'space' })
  }

  finish(): SnapshotRows {
    for (const { parent, child } of this.#contains)
      if (this.#keys.has(`devices ${parent}`))
        this.#relationships.push({ parent: this.#refer(parent), type: 'contains', child: this.#refer(child) })
    const documents = Object.fromEntries(
      Object.entries({
        spaces: this.#spaces,
        networks: this.#networks,
        devices: this.#devices,
        ports: this.#ports,
        relationships: this.#relationships,
      }).filter(([, rows]) => rows.length > 0),
    )
    return { documents, about: this.#about, hosts: [], report: this.report.report(documents) }
  }

  #refer(key: string): { readonly ref: string } {
    return { ref: `${this.#ref}:${clean(key)}` }
  }

  #referTo(key: string | undefined): { readonly ref: string } | undefined {
    return key === undefined ? undefined : this.#refer(key)
  }

  #takeKey(one: string, key: string): boolean {
    if (key === '' || key.length > MAX_KEY || key !== key.trim() || /[\p{Cc}\p{Cs}]/u.test(key) || this.#keys.has(one))
      return false
    this.#keys.add(one)
    return true
  }

  #trim(type: string, key: string, field: string, text = '', max?: number): string {
    return trimText(this.report, { what: `${type}.${field}`, id: key }, clean(text), max)
  }

  #hostname(type: string, key: string, given = ''): string | undefined {
    const name = clean(given).replace(/\.$/, '').toLowerCase()
    if (name === '') return undefined
    if (HOST_NAME.holds(name)) return name
    this.report.warn(`${type} ${key}: "${name.slice(0, 64)}" is no host name`)
    return undefined
  }

  #readNics({ key, type, nics, addresses }: ReadNics) {
    const names = new PortNames(this.report)
    const ports: EstateRow[] = []
    const found = new Map<string, EstateRow>()
    let isKnown = addresses !== undefined
    const hasPorts = type === 'host' || type === 'vm' || type === 'node'
    const add = ({ ip, label, space }: MachineAddress, more: EstateRow) => {
      const parsed = parseIp(ip.replace(/[/%].*$/, ''))
      if (!parsed || computeReach(parsed) === 'blocked') return
      const text = formatIp(parsed)
      const one = `${space ?? ''} ${text}`
      if (found.has(one)) return
      found.set(
        one,
        compact({ ip: text, label: clean(label ?? '').slice(0, 128), space: this.#referTo(space), ...more }),
      )
    }
    for (const [at, nic] of nics.slice(0, MAX_PORTS).entries()) {
      const mac = parseMac(nic.mac ?? '')
      const name = hasPorts
        ? names.unique({ what: `${type}.interface`, id: key }, clean(nic.name) || `nic${at}`, [mac ?? '', `#${at}`])
        : ''
      if (hasPorts) ports.push(compact({ device: this.#refer(key), name, mac_address: mac, vlan_id: nic.vlanId }))
      if (nic.addresses === undefined) continue
      isKnown = true
      for (const address of nic.addresses) add(address, { mac_address: mac, interface: name.slice(0, MAX_INTERFACE) })
    }
    if (nics.length > MAX_PORTS) this.report.left(`${type}.interface`, `is beyond ${MAX_PORTS}`, { id: key })
    for (const address of addresses ?? []) add(address, {})
    const all = [...found.values()]
    if (all.length > MAX_ADDRESSES) this.report.left(`${type}.address`, `is beyond ${MAX_ADDRESSES}`, { id: key })
    return { ports, addresses: isKnown ? all.slice(0, MAX_ADDRESSES) : undefined }
  }
}
