/** Finds the zones of names and addresses: the zones with the longest name, and the zones with the longest subnet. */
import { type Cidr, parseCidrOrThrow } from '../../net/cidr.ts'
import { isNameWithin, splitLabels } from '../../net/dns/name.ts'
import { buildReverseName, buildReverseNameInZone } from '../../net/dns/reverse.ts'
import { type Ip, parseIp } from '../../net/ip.ts'
import { SubnetIndex } from '../../net/subnet-index.ts'
import type { ZoneSettings } from './schema.ts'
import { parseReverseName } from './zone-rules.ts'

export type Zone = ZoneSettings & { readonly cidr: Cidr | undefined }

/** A name of a zone, relative to it. */
export type NameInZone = { readonly zone: Zone; readonly name: string }

/** @example toRelativeName('www.example.org', 'example.org') // 'www' */
export const toRelativeName = (fqdn: string, zone: string): string =>
  fqdn === zone ? '@' : zone === '.' ? fqdn : fqdn.slice(0, -zone.length - 1)

/** Returns the reverse of `toRelativeName`. */
export const toFullName = (name: string, zone: string): string => (name === '@' ? zone : `${name}.${zone}`)

const LAST_OCTET = 0xffn

/** The zones of one address space. */
export class ZoneIndex {
  readonly space_id: string | undefined
  readonly zones: readonly Zone[]
  readonly defaultName: string | undefined
  readonly #byName = new Map<string, Zone[]>()
  readonly #bySubnet = new SubnetIndex<readonly Zone[]>()
  /** Indexes the zones that are not of RFC 2317. */
  readonly #parents = new SubnetIndex<readonly Zone[]>()

  constructor(settings: readonly ZoneSettings[]) {
    this.space_id = settings[0]?.space_id
    this.zones = settings.map((zone) => ({
      ...zone,
      cidr: zone.subnet === null ? undefined : parseCidrOrThrow(zone.subnet),
    }))
    this.defaultName = this.zones.find(({ is_default }) => is_default)?.name
    const bySubnet = new Map<string, Zone[]>()
    for (const zone of this.zones) {
      this.#byName.set(zone.name, [...(this.#byName.get(zone.name) ?? []), zone])
      if (zone.subnet !== null) bySubnet.set(zone.subnet, [...(bySubnet.get(zone.subnet) ?? []), zone])
    }
    for (const [subnet, zones] of bySubnet) {
      const cidr = parseCidrOrThrow(subnet)
      this.#bySubnet.add(cidr, zones)
      if (!isClassless(cidr)) this.#parents.add(cidr, zones)
    }
  }

  get(id: string): Zone | undefined {
    return this.zones.find((zone) => zone.id === id)
  }

  /** Returns the zones with the longest name that ends this one. */
  forName(fqdn: string): readonly Zone[] {
    const labels = splitLabels(fqdn)
    for (let from = 0; from < labels.length; from++) {
      const zones = this.#byName.get(labels.slice(from).join('.'))
      if (zones) return zones
    }
    return []
  }

  /** Completes a host name without a dot by the default zone; '' if there is none. */
  completed(hostname: string): string {
    if (hostname.includes('.')) return hostname
    return hostname === '' || this.defaultName === undefined ? '' : `${hostname}.${this.defaultName}`
  }

  /** Returns the zones with the longest subnet that holds the address. */
  forAddress(ip: Ip): readonly Zone[] {
    return this.#bySubnet.holding(ip) ?? []
  }

  /** Returns the zones that hold the CNAME of an address with its PTR in a zone of RFC 2317. */
  parentsFor(ip: Ip): readonly Zone[] {
    const [zone] = this.forAddress(ip)
    return zone?.cidr && isClassless(zone.cidr) ? (this.#parents.holding(ip) ?? []) : []
  }

  /** Returns the names of PTR and CNAME records of an address. */
  listReverseNames(ip: Ip): NameInZone[] {
    return [
      ...this.forAddress(ip).map((zone) => ({ zone, name: toReverseLabel(zone, ip) })),
      ...this.parentsFor(ip).map((zone) => ({ zone, name: toRelativeName(buildReverseName(ip), zone.name) })),
    ]
  }

  /** Returns the zones with names or addresses that another zone takes over, or gives back. */
  around({ name, subnet }: Pick<ZoneSettings, 'name' | 'subnet'>): Zone[] {
    const inner = subnet === null ? undefined : parseCidrOrThrow(subnet)
    return this.zones.filter(
      ({ name: own, cidr }) =>
        isNameWithin(name, own) ||
        (inner !== undefined && cidr?.family === inner.family && cidr.first <= inner.first && inner.last <= cidr.last),
    )
  }
}

/** Returns an index for each address space with zones. */
export const createIndexes = (settings: readonly ZoneSettings[]): ZoneIndex[] =>
  [...Map.groupBy(settings, ({ space_id }) => space_id).values()].map((zones) => new ZoneIndex(zones))

/** Returns a zone with the index of its address space; undefined if there is no such zone. */
export const findZonePlace = (
  settings: readonly ZoneSettings[],
  id: string,
): { readonly zone: Zone; readonly index: ZoneIndex } | undefined => {
  const own = settings.find((zone) => zone.id === id)
  const index = new ZoneIndex(own ? settings.filter(({ space_id }) => space_id === own.space_id) : [])
  const zone = index.get(id)
  return zone && { zone, index }
}

/** True for a zone of RFC 2317, which is longer than /24. */
export const isClassless = ({ family, prefix }: Cidr): boolean => family === 4 && prefix > 24

/** Returns the name of the PTR of an address, relative to a zone with a subnet that holds it. */
export const toReverseLabel = ({ name, cidr }: Zone, ip: Ip): string =>
  toRelativeName(cidr ? buildReverseNameInZone({ prefix: cidr.prefix, name }, ip) : buildReverseName(ip), name)

/** Returns the address that a name of a reverse zone stands for; undefined for any other name. */
export const parseAddress = ({ name: zone, cidr }: Zone, name: string): Ip | undefined => {
  if (!cidr) return undefined
  if (!isClassless(cidr)) {
    const found = parseReverseName(toFullName(name, zone))
    return found && found.first === found.last
      ? { family: found.family, value: found.first }
      : parseFullAddress(name, zone)
  }
  if (!/^\d{1,3}$/.test(name)) return undefined
  const value = (cidr.first & ~LAST_OCTET) | BigInt(name)
  return value >= cidr.first && value <= cidr.last ? { family: 4, value } : undefined
}

/** Names of four octets are no names of zones. */
const parseFullAddress = (name: string, zone: string): Ip | undefined => {
  const labels = splitLabels(toFullName(name, zone))
  const [a, b, c, d] = labels
  return labels.length === 6 ? parseIp(`${d}.${c}.${b}.${a}`) : undefined
}
