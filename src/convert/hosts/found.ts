/** The machines of scans, leases, hosts files and zones, and the devices that they become. */

import { isDomainName, isHostname } from '../../net/dns-name.ts'
import { normalizeIp, parseIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import type { Conversion, EstateRow, Host } from '../converter.ts'
import { ObjectLimit } from '../object-limit.ts'
import { ReportBuilder } from '../report-builder.ts'
import { compact, MAX_ADDRESSES, trimText } from '../rows/row-text.ts'

/** A machine as its source describes it. */
export type Found = Omit<Host, 'ip'> & {
  readonly ip: string
  readonly domains?: readonly string[]
  /** Further values of the source, by name. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Services with their product and version: `22/tcp ssh OpenSSH 9.2`. */
  readonly open?: readonly string[]
}

/** Collects the machines of a source. */
export class Findings {
  readonly report = new ReportBuilder()
  readonly #limit = new ObjectLimit()
  readonly #all: Found[] = []
  readonly #kind: string

  /** @param kind of the objects, as the source names them */
  constructor(kind: string) {
    this.#kind = kind
  }

  /** Adds a machine. Values that no field takes are left over. */
  add(found: Found): void {
    const ip = normalizeIp(found.ip)
    if (ip === undefined) {
      this.leave('has no IP address', found)
      return
    }
    this.#read()
    const { hostname = '', mac_address = '', domains = [], ...rest } = found
    const mac = parseMac(mac_address)
    if (mac_address !== '' && mac === undefined) this.#left('mac_address', 'is no MAC address', ip, mac_address)
    const name = hostname.replace(/\.$/, '')
    if (name !== '' && !isHostname(name)) this.#left('hostname', 'is no host name', ip, hostname)
    const good = domains.filter(isDomainName)
    for (const domain of domains) if (!isDomainName(domain)) this.#left('domain', 'is no domain name', ip, domain)
    this.#all.push({
      ...rest,
      ip,
      ...(mac !== undefined && { mac_address: mac }),
      ...(isHostname(name) && { hostname: name }),
      domains: good,
    })
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

  /** Returns the conversion: a device for each host name, and one for each address without. */
  conversion(source: string): Conversion {
    const devices = buildDevices(this.#kind, this.#all, this.report)
    const documents = devices.length > 0 ? { devices } : {}
    const hosts = this.#all.map(({ domains: _, more: __, open: ___, ...host }) => host)
    return { source, documents, hosts, report: this.report.report(documents), leftover: this.report.leftover() }
  }
}

const filterDistinct = <T>(values: readonly (T | undefined)[]): T[] => [
  ...new Set(values.filter((value): value is T => value !== undefined)),
]

const getShortName = (hostname: string): string => hostname.split('.', 1)[0] ?? hostname

/** Returns the first MAC address of each address. */
const collectMacs = (some: readonly Found[]): Map<string, string> => {
  const macs = new Map<string, string>()
  for (const { ip, mac_address } of some) if (mac_address !== undefined && !macs.has(ip)) macs.set(ip, mac_address)
  return macs
}

const buildDevices = (kind: string, all: readonly Found[], report: ReportBuilder): EstateRow[] => {
  const groups = Map.groupBy(all, ({ hostname, ip }) => hostname?.toLowerCase() ?? ip)
  const shorts = new Map<string, number>()
  for (const key of groups.keys()) shorts.set(getShortName(key), (shorts.get(getShortName(key)) ?? 0) + 1)
  return [...groups].map(([key, some]) => {
    const [first] = some
    const hostname = first?.hostname ?? ''
    // Two domains may have a host of the same name.
    const name = hostname === '' ? key : shorts.get(getShortName(key)) === 1 ? getShortName(hostname) : hostname
    const ips = filterDistinct(some.map(({ ip }) => ip))
    for (const ip of ips.slice(MAX_ADDRESSES))
      report.left(kind, 'is one address too many of its host', { hostname, ip })
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
    const place = (field: string) => ({ what: `${kind}.${field}`, id: key })
    return compact({
      name,
      hostname,
      make_model: trimText(report, place('vendor'), filterDistinct(some.map(({ vendor }) => vendor)).join(', ')),
      os: trimText(report, place('os'), filterDistinct(some.map(({ os }) => os))[0] ?? ''),
      addresses,
      domains: filterDistinct(some.flatMap(({ domains = [] }) => domains)),
      description: report.describe(kind, key, '', lines),
    })
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
