/**
 * The names of a zone that other zones serve (RFC 1034 section 4.2.1): by own NS records, by NS records that only the server has, and by
 * zones of RFC 2317. The server answers for none of the names at and below them, but for the addresses of the name servers.
 */
import { isNameWithin, splitLabels } from '../../../net/dns/name.ts'
import type { DnsRecord } from '../../records/api.ts'
import { isClassless, toFullName, toRelativeName, type Zone, type ZoneIndex } from '../zone-index.ts'

/** A name relative to the zone, with the full names of its name servers. */
export type Delegation = { readonly name: string; readonly servers: readonly string[] }

/** Returns the zones of RFC 2317 with CNAMEs in this zone. */
export const filterChildren = (zone: Zone, index: ZoneIndex): Zone[] => {
  const { cidr: outer } = zone
  if (outer?.family !== 4 || isClassless(outer)) return []
  return index.zones.filter(
    ({ cidr }) =>
      cidr !== undefined &&
      isClassless(cidr) &&
      index.parentsFor({ family: 4, value: cidr.first }).includes(zone) &&
      cidr.last <= outer.last,
  )
}

/** The longest message of a delegation names this many servers. */
const MAX_NAMED = 3

export class Delegations {
  /** The zones of RFC 2317 that this zone delegates. */
  readonly children: readonly Delegation[]
  readonly #servers = new Map<string, readonly string[]>()
  readonly #zone: string

  /** @param given the NS records below the apex: own ones, and those that only the server has */
  constructor(zone: Zone, index: ZoneIndex, given: readonly Delegation[]) {
    this.#zone = zone.name
    this.children = filterChildren(zone, index)
      .filter(({ name, nameservers }) => nameservers.length > 0 && name !== zone.name && isNameWithin(name, zone.name))
      .map(({ name, nameservers }) => ({ name: toRelativeName(name, zone.name), servers: nameservers }))
    for (const { name, servers } of [...this.children, ...given])
      this.#servers.set(name, [...(this.#servers.get(name) ?? []), ...servers])
  }

  /** Returns why the zone does not serve an RRset of devices; '' for one that it serves. */
  explain(name: string, type: string): string {
    if (this.#servers.size === 0 || name === '@') return ''
    const labels = splitLabels(name)
    for (let from = labels.length - 1; from >= 0; from--) {
      const cut = labels.slice(from).join('.')
      const servers = this.#servers.get(cut)
      if (!servers) continue
      const isGlue = (type === 'A' || type === 'AAAA') && servers.includes(toFullName(name, this.#zone))
      if (isGlue) return ''
      const named = servers.slice(0, MAX_NAMED).join(', ')
      const more = servers.length > MAX_NAMED ? ` and ${servers.length - MAX_NAMED} more` : ''
      return `${toFullName(cut, this.#zone)} is delegated to ${named}${more}: only they serve the name`
    }
    return ''
  }
}

/** Returns the delegations of NS records. */
export const toDelegations = (records: readonly Pick<DnsRecord, 'name' | 'type' | 'value'>[]): Delegation[] =>
  [...Map.groupBy(records, ({ name }) => name)].flatMap(([name, all]) => {
    const servers = all.flatMap(({ type, value }) => (type === 'NS' ? [value] : []))
    return servers.length > 0 && name !== '@' ? [{ name, servers }] : []
  })
