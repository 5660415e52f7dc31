/** The interfaces of devices and machines, with their addresses, MAC addresses and the other ends of their cables. */
import { parseMac } from '../../net/mac.ts'
import { type CableEnds, compareTexts, type NetboxModel, type Target } from './model.ts'
import { listIn, type NetboxObject } from './read/objects.ts'

/** The kinds of interfaces, and the field that names their owner. */
const OWNERS = { 'dcim.interface': 'device', 'virtualization.vminterface': 'virtual_machine' } as const
type InterfaceKind = keyof typeof OWNERS
const KINDS = Object.keys(OWNERS) as InterfaceKind[] // the keys of a constant

export type Owner = 'dcim.device' | 'virtualization.virtualmachine'
const OWNER_KINDS: Readonly<Record<InterfaceKind, Owner>> = {
  'dcim.interface': 'dcim.device',
  'virtualization.vminterface': 'virtualization.virtualmachine',
}

export type Interface = {
  readonly kind: InterfaceKind
  readonly object: NetboxObject
  readonly name: string
  readonly addresses: NetboxObject[]
  readonly macs: unknown[]
}

const byNumbers = new Intl.Collator('en', { numeric: true })

/** Orders names, numbers in them by value. */
export const compareNames = (a: string, b: string): number => byNumbers.compare(a, b) || compareTexts(a, b)

/** Returns the MAC addresses of an interface, each once. The first one is that of its port, if it is one at all. */
export const listMacs = ({ macs }: Interface): string[] => {
  const all = [...new Set(macs.map(normalizeMac))]
  const first = all.find(isMac)
  return first === undefined ? ['', ...all] : [first, ...all.filter((mac) => mac !== first)]
}

/** Returns the MAC address that the addresses of an interface have. */
export const findFirstMac = ({ macs }: Interface): string | undefined => macs.map(normalizeMac).find(isMac)

export class Interfaces {
  readonly #byId: Readonly<Record<InterfaceKind, Map<number, Interface>>> = {
    'dcim.interface': new Map(),
    'virtualization.vminterface': new Map(),
  }
  readonly #byOwner: Readonly<Record<Owner, Map<number, Interface[]>>> = {
    'dcim.device': new Map(),
    'virtualization.virtualmachine': new Map(),
  }
  readonly #model: NetboxModel
  readonly #peers: ReadonlyMap<number, string>

  constructor(model: NetboxModel, cables: ReadonlyMap<number, CableEnds>) {
    this.#model = model
    for (const kind of KINDS) for (const object of model.of(kind)) this.#add(kind, object)
    for (const lists of Object.values(this.#byOwner))
      for (const list of lists.values()) list.sort((a, b) => compareNames(a.name, b.name) || a.object.id - b.object.id)
    this.#addMacs()
    for (const address of model.of('ipam.ipaddress')) this.ofAddress(address)?.addresses.push(address)
    this.#peers = this.#peersOf(cables)
  }

  find({ kind, id }: Target): Interface | undefined {
    return kind === 'dcim.interface' || kind === 'virtualization.vminterface' ? this.#byId[kind].get(id) : undefined
  }

  /** Returns the interface of an address, if its device or machine is in the file. */
  ofAddress(address: NetboxObject): Interface | undefined {
    const target = this.#model.target(address, 'assigned_object')
    return target && this.find(target)
  }

  /** Returns the interfaces of a device or machine by name. */
  of(owner: Owner, id: number): readonly Interface[] {
    return this.#byOwner[owner].get(id) ?? []
  }

  /** Returns the device at the other side, and its interface. */
  peerOf({ kind, object }: Interface): string {
    return kind === 'dcim.interface' ? (this.#peers.get(object.id) ?? '') : ''
  }

  #add(kind: InterfaceKind, object: NetboxObject): void {
    const owner = object[OWNERS[kind]]
    if (typeof owner !== 'number' || !this.#model.isListed(OWNER_KINDS[kind], owner)) return
    const name = String(object.name ?? `#${object.id}`).trim()
    const found = { kind, object, name, addresses: [], macs: [] }
    this.#byId[kind].set(object.id, found)
    listIn(this.#byOwner[OWNER_KINDS[kind]], owner).push(found)
  }

  /** MAC addresses are fields of the interface before 4.2, and objects since. */
  #addMacs(): void {
    for (const mac of this.#model.of('dcim.macaddress')) {
      const target = this.#model.target(mac, 'assigned_object')
      const found = target && this.find(target)
      if (found?.object.primary_mac_address === mac.id) found.macs.unshift(mac.mac_address)
      else found?.macs.push(mac.mac_address)
    }
    for (const kind of KINDS)
      for (const { object, macs } of this.#byId[kind].values())
        if (object.mac_address !== undefined) macs.push(object.mac_address)
  }

  #peersOf(cables: ReadonlyMap<number, CableEnds>): Map<number, string> {
    const peers = new Map<number, string>()
    const connect = (from: readonly Target[], to: readonly Target[]): void => {
      const peer = to.map((target) => this.find(target)).find((found) => found?.kind === 'dcim.interface')
      if (!peer) return
      const text = `${getDeviceName(this.#model, peer.object.device)} ${peer.name}`
      for (const { kind, id } of from) if (kind === 'dcim.interface' && !peers.has(id)) peers.set(id, text)
    }
    for (const { a, b } of cables.values()) {
      connect(a, b)
      connect(b, a)
    }
    return peers
  }
}

const normalizeMac = (value: unknown): string => parseMac(String(value)) ?? String(value)

/** Returns the name of the row of a device. */
export const getDeviceName = (model: NetboxModel, id: unknown): string => {
  const device = model.find('dcim.device', id)
  return String(device?.name ?? '').trim() || `${model.label('dcim.devicetype', device?.device_type)} #${id}`
}

const isMac = (text: string): boolean => parseMac(text) === text
