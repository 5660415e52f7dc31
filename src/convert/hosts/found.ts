/** The machines of scans, leases, hosts files and zones, and the devices that they become. */

import { isDomainName, isHostname } from '../../net/dns-name.ts'
import { normalizeIp, parseIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import type {
  ConvertReport,
  EstateDocument,
  EstateRow,
  Host,
  LazyConversion,
  LazyDocument,
  Leftover,
} from '../converter.ts'
import { ObjectLimit } from '../object-limit.ts'
import type { ConvertOptions } from '../protocol.ts'
import { ReportBuilder } from '../report-builder.ts'
import { compact, filterTags, MAX_ADDRESSES, trimText } from '../rows/row-text.ts'
import { type Found, type FoundGroup, FoundStore } from './found-store.ts'

/** A name that is no host name, such as one with `_`, may still be the name of a device. */
const LABEL = /^(?=.*[\p{L}\p{N}])[\p{L}\p{N}_.-]{1,253}$/u

/** Collects the machines of a source. */
export class Findings {
  readonly report: ReportBuilder
  readonly #limit = new ObjectLimit()
  readonly #all = new FoundStore()
  readonly #kind: string

  /** @param kind of the objects, as the source names them */
  constructor(kind: string, options: Pick<ConvertOptions, 'withLeftover'> = {}) {
    this.#kind = kind
    this.report = new ReportBuilder(options)
  }

  /** Adds a machine. Values that no field takes are left over. */
  add(found: Found): void {
    const ip = normalizeIp(found.ip)
    if (ip === undefined) this.leave('has no IP address', found)
    else this.#add(found, ip)
  }

  /** Adds a machine with a name and no address. It becomes a device, and is no host of a scan. A text that is no name is left over. */
  addNamed(found: Omit<Found, 'ip'> & { readonly hostname: string }): void {
    const name = found.hostname.replace(/\.$/, '')
    if (isHostname(name) || LABEL.test(name)) this.#add({ ip: '', ...found }, '')
    else this.leave('has no name that a device may have', found)
  }

  #add(found: Found, ip: string): void {
    this.#read()
    const { hostname = '', mac_address = '', domains = [], ...rest } = found
    const mac = parseMac(mac_address)
    if (mac_address !== '' && mac === undefined) this.#left('mac_address', 'is no MAC address', ip, mac_address)
    const text = hostname.replace(/\.$/, '')
    const isName = isHostname(text)
    if (text !== '' && !isName) this.#left('hostname', 'is no host name', ip, hostname)
    const good = domains.filter(isDomainName)
    if (good.length < domains.length)
      for (const domain of domains) if (!isDomainName(domain)) this.#left('domain', 'is no domain name', ip, domain)
    this.#all.add({
      ...rest,
      ip,
      ...(mac !== undefined && { mac_address: mac }),
      ...(isName && { hostname: text }),
      ...(!isName && LABEL.test(text) && { label: text }),
      ...(good.length > 0 && { domains: good }),
    })
  }

  /** Adds a domain to the device of a host name. @returns false if no machine has the name */
  addDomain(hostname: string, domain: string): boolean {
    const isAdded = this.#all.addDomain(hostname, isDomainName(domain) ? domain : undefined)
    if (isAdded && !isDomainName(domain)) this.report.left(`${this.#kind}.domain`, 'is no domain name', domain)
    return isAdded
  }

  /** Counts an object that becomes no device. `what` is the kind under which it is left. */
  leave(why: string, value: unknown, what = this.#kind): void {
    this.#read()
    this.report.left(what, why, value)
  }

  #read(): void {
    this.#limit.add()
    this.report.read(this.#kind)
  }

  #left(field: string, why: string, ip: string, value: unknown): void {
    this.report.left(`${this.#kind}.${field}`, why, { ip, value })
  }

  /**
   * Returns the conversion: a device for each host name, and one for each address without.
   * @param options `mergesHosts` joins the entries of an address to one host; `documents` are rows of other resources
   */
  conversion(source: string, { mergesHosts = false, documents = {} }: FoundOptions = {}): LazyConversion {
    return new FoundConversion({
      source,
      kind: this.#kind,
      all: this.#all,
      report: this.report,
      mergesHosts,
      documents,
    })
  }
}

type FoundOptions = { readonly mergesHosts?: boolean; readonly documents?: EstateDocument }

type FoundParts = {
  readonly source: string
  readonly kind: string
  readonly all: FoundStore
  readonly report: ReportBuilder
  readonly mergesHosts: boolean
  readonly documents: EstateDocument
}

/** Makes the devices and hosts each time that they are read, because those of a large file do not fit into memory. */
class FoundConversion implements LazyConversion {
  readonly source: string
  readonly documents: LazyDocument
  readonly hosts: Iterable<Host>
  readonly #parts: FoundParts
  /** True once the devices have been made, which completes the report. */
  #isReported = false

  constructor(parts: FoundParts) {
    this.#parts = parts
    this.source = parts.source
    const devices = { length: parts.all.groups, [Symbol.iterator]: () => this.#makeDevices() }
    this.documents = { ...parts.documents, ...(devices.length > 0 && { devices }) }
    this.hosts = { [Symbol.iterator]: () => (parts.mergesHosts ? parts.all.mergeHosts() : parts.all.listHosts()) }
  }

  get report(): ConvertReport {
    return this.#complete().report(this.documents)
  }

  get leftover(): Leftover {
    return this.#complete().leftover()
  }

  #complete(): ReportBuilder {
    if (!this.#isReported) for (const _ of this.#makeDevices());
    return this.#parts.report
  }

  *#makeDevices(): Generator<EstateRow> {
    const { kind, all } = this.#parts
    const report = this.#isReported ? new ReportBuilder({ withLeftover: false }) : this.#parts.report
    for (let group = 0; group < all.groups; group++) yield buildDevice(kind, all.getGroup(group), report)
    this.#isReported = true
  }
}

const filterDistinct = <T>(values: readonly (T | undefined)[]): T[] => {
  const given = values.filter((value): value is T => value !== undefined)
  return given.length < 2 ? given : [...new Set(given)]
}

/** Returns the first MAC address of each address. */
const collectMacs = (some: readonly Found[]): Map<string, string> => {
  const macs = new Map<string, string>()
  for (const { ip, mac_address } of some) if (mac_address !== undefined && !macs.has(ip)) macs.set(ip, mac_address)
  return macs
}

const buildDevice = (kind: string, { name, some, domains: more }: FoundGroup, report: ReportBuilder): EstateRow => {
  const hostname = some[0]?.hostname ?? ''
  const ips = filterDistinct(some.map(({ ip }) => (ip === '' ? undefined : ip)))
  for (const ip of ips.slice(MAX_ADDRESSES)) report.left(kind, 'is one address too many of its host', { hostname, ip })
  const macs = collectMacs(some)
  const addresses = ips.slice(0, MAX_ADDRESSES).map((ip) => {
    const mac = macs.get(ip)
    return mac === undefined ? { ip } : { ip, mac_address: mac }
  })
  const placed = new Set(addresses.map((address) => address.mac_address))
  const others = filterDistinct(some.map(({ mac_address }) => mac_address)).filter((mac) => !placed.has(mac))
  const lines = [
    ...others.map((value) => ({ key: 'mac', value })),
    ...filterDistinct(some.flatMap(({ open = [] }) => open)).map((value) => ({ key: 'open', value })),
    ...some.flatMap(({ more = {} }) => Object.entries(more).map(([one, value]) => ({ key: one, value }))),
  ]
  const place = (field: string) => ({ what: `${kind}.${field}`, id: name })
  return compact({
    name,
    hostname,
    make_model: trimText(report, place('vendor'), filterDistinct(some.map(({ vendor }) => vendor)).join(', ')),
    os: trimText(report, place('os'), filterDistinct(some.map(({ os }) => os))[0] ?? ''),
    addresses,
    tags: filterTags(
      report,
      place('tags'),
      some.flatMap(({ tags = [] }) => tags),
    ),
    domains: filterDistinct([...some.flatMap(({ domains = [] }) => domains), ...more]),
    description: report.describe(kind, name, '', lines),
  })
}

/** Returns the reason for which an address is of no machine in a network; undefined for others. */
export const checkSpecialAddress = (text: string): string | undefined => {
  const ip = parseIp(text.replace(/%.*$/, ''))
  if (!ip) return undefined
  const { family, value } = ip
  if (value === 0n) return 'is the unspecified address'
  if (family === 4) {
    const first = Number(value >> 24n)
    if (first === 127) return 'is a loopback address'
    if (value >> 16n === 0xa9fen) return 'is a link-local address'
    if (value === 0xffffffffn) return 'is the broadcast address'
    return first >= 224 && first < 240 ? 'is a multicast address' : undefined
  }
  if (value === 1n) return 'is a loopback address'
  if (value >> 118n === 0x3fan) return 'is a link-local address'
  return value >> 120n === 0xffn ? 'is a multicast address' : undefined
}
