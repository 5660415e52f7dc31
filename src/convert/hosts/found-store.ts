/** The machines that a conversion has found, by the devices that they become. They are bytes outside of the heap. */
import type { Host } from '../converter.ts'
import { TextIndex } from '../store/text-index.ts'
import { Numbers, TextStore } from '../store/text-store.ts'

/** A machine as its source describes it. */
export type Found = Omit<Host, 'ip'> & {
  readonly ip: string
  readonly domains?: readonly string[]
  readonly tags?: readonly string[]
  /** Further values of the source, by name. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Services with their product and version: `22/tcp ssh OpenSSH 9.2`. */
  readonly open?: readonly string[]
  /** A text that tells machines of one host name apart. */
  readonly distinct?: string
}

/** A machine with checked values. `label` is its name, if that is no host name. */
export type Checked = Found & { readonly label?: string }

/** The machines of one device, in the order of the file. */
export type FoundGroup = {
  readonly name: string
  readonly some: readonly Checked[]
  /** Further domains. */
  readonly domains: readonly string[]
}

const DIVIDER = '\t'
/** Most machines have their host name as the only domain. */
const ONLY_HOSTNAME = '.'

/** Writes a machine as `ip`, `hostname`, its domains and JSON of the rest. Checked addresses and names have no tab. */
const pack = ({ ip, hostname = '', domains = [], ...rest }: Checked): string => {
  const isOnly = domains.length === 1 && domains[0] === hostname
  let text = `${ip}${DIVIDER}${hostname}${DIVIDER}${isOnly ? ONLY_HOSTNAME : domains.join(' ')}`
  for (const _ in rest) {
    text += `${DIVIDER}${JSON.stringify(rest)}`
    break
  }
  return text
}

const unpack = (text: string): Checked => {
  const afterIp = text.indexOf(DIVIDER)
  const afterName = text.indexOf(DIVIDER, afterIp + 1)
  const end = text.indexOf(DIVIDER, afterName + 1)
  const hostname = text.slice(afterIp + 1, afterName)
  const written = end < 0 ? text.slice(afterName + 1) : text.slice(afterName + 1, end)
  const found: { -readonly [K in keyof Checked]: Checked[K] } = { ip: text.slice(0, afterIp) }
  if (hostname !== '') found.hostname = hostname
  if (written !== '') found.domains = written === ONLY_HOSTNAME ? [hostname] : written.split(' ')
  // Written by `pack`.
  return end < 0 ? found : Object.assign(found, JSON.parse(text.slice(end + 1)) as Partial<Checked>)
}

const getShortName = (hostname: string): string => {
  const dot = hostname.indexOf('.')
  return dot < 0 ? hostname : hostname.slice(0, dot)
}

const getFullName = ({ hostname, label }: Checked): string | undefined => hostname ?? label

/** Returns the key of the device that a machine belongs to. */
const getKey = (found: Checked): string => {
  const name = getFullName(found)?.toLowerCase() ?? found.ip
  return found.distinct === undefined ? name : `${name}\n${found.distinct}`
}

const toHost = ({ ip, mac_address, hostname, vendor, os, open_ports, services }: Checked): Host => ({
  ip,
  ...(mac_address !== undefined && { mac_address }),
  ...(hostname !== undefined && { hostname }),
  ...(vendor !== undefined && { vendor }),
  ...(os !== undefined && { os }),
  ...(open_ports && { open_ports }),
  ...(services && { services }),
})

const mergeEntries = (some: readonly Checked[]): Host => {
  const ports = [...new Set(some.flatMap(({ open_ports = [] }) => open_ports))]
  // A service that a later entry names has its name.
  const services = new Map<string, NonNullable<Host['services']>[number]>()
  for (const service of some.flatMap((one) => one.services ?? [])) {
    const key = `${service.port}/${service.protocol}`
    if (service.name !== '' || !services.has(key)) services.set(key, service)
  }
  const merged: Checked = Object.assign({}, ...some)
  return toHost({
    ...merged,
    ...(ports.length > 0 && { open_ports: ports }),
    ...(services.size > 0 && { services: [...services.values()].slice(0, MAX_HOST_SERVICES) }),
  })
}

/** The maximum that a recorded scan takes. */
const MAX_HOST_SERVICES = 1000

export class FoundStore {
  readonly #all = new TextStore()
  /** One more than the number of the next machine of the device; 0 for the last one. */
  readonly #next = new Numbers()
  readonly #first = new Numbers()
  readonly #last = new Numbers()
  readonly #keys = new TextIndex((group) => getKey(this.#get(this.#first.get(group))))
  /** One more than the number of the short name of each device; 0 for none. */
  readonly #short = new Numbers()
  readonly #domains = new Map<number, string[]>()
  /** The first device with a short name, and the number of devices with it that have different full names. */
  readonly #shortGroups = new Numbers()
  readonly #shortCounts = new Numbers()
  readonly #shorts = new TextIndex((short) => this.#getShort(this.#shortGroups.get(short)))

  /** The number of devices. */
  get groups(): number {
    return this.#first.length
  }

  add(found: Checked): void {
    const number = this.#all.add(pack(found))
    this.#next.push(0)
    const group = this.#keys.add(getKey(found))
    if (group < this.#first.length) {
      this.#next.set(this.#last.get(group), number + 1)
      this.#last.set(group, number)
      return
    }
    this.#first.push(number)
    this.#last.push(number)
    const name = found.distinct === undefined ? getFullName(found) : undefined
    this.#short.push(name === undefined ? 0 : this.#countShort(getShortName(name).toLowerCase(), group) + 1)
  }

  /** Counts a device with a short name. @returns the number of the name */
  #countShort(short: string, group: number): number {
    const number = this.#shorts.add(short)
    if (number === this.#shortGroups.length) {
      this.#shortGroups.push(group)
      this.#shortCounts.push(1)
    } else this.#shortCounts.set(number, this.#shortCounts.get(number) + 1)
    return number
  }

  /** Adds a domain, if there is one, to the device of a host name. @returns false if no machine has the name */
  addDomain(hostname: string, domain: string | undefined): boolean {
    const group = this.#keys.find(hostname.toLowerCase())
    if (group === undefined) return false
    const known = this.#domains.get(group)
    if (domain !== undefined) {
      if (known) known.push(domain)
      else this.#domains.set(group, [domain])
    }
    return true
  }

  getGroup(group: number): FoundGroup {
    const some: Checked[] = []
    for (let next = this.#first.get(group) + 1; next > 0; next = this.#next.get(next - 1))
      some.push(this.#get(next - 1))
    return { name: this.#nameDevice(group, some[0]), some, domains: this.#domains.get(group) ?? [] }
  }

  *listHosts(): Generator<Host> {
    for (let number = 0; number < this.#all.length; number++) {
      const found = this.#get(number)
      if (found.ip !== '') yield toHost(found)
    }
  }

  /** Yields the hosts with all ports and services of their entries. */
  *mergeHosts(): Generator<Host> {
    for (let group = 0; group < this.groups; group++)
      for (const some of Map.groupBy(this.getGroup(group).some, ({ ip }) => ip).values()) yield mergeEntries(some)
  }

  /** Returns the host name without its domain, unless two domains have a host of that name. */
  #nameDevice(group: number, first: Checked | undefined): string {
    if (!first) return ''
    const name = getFullName(first)
    if (name === undefined) return first.ip
    const short = getShortName(name)
    if (first.distinct !== undefined) return `${short} (${first.distinct})`
    return this.#shortCounts.get(this.#short.get(group) - 1) === 1 ? short : name
  }

  #getShort(group: number): string {
    return getShortName(getFullName(this.#get(this.#first.get(group))) ?? '').toLowerCase()
  }

  #get(number: number): Checked {
    return unpack(this.#all.get(number))
  }
}
