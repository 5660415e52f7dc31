/** The RRsets that a zone wants: computed from the claims of devices and from own records. */
import { buildReverseName, buildReverseNameInZone } from '../../../net/dns/reverse.ts'
import { formatIp, type Ip } from '../../../net/ip.ts'
import type { DnsRecord } from '../../records/api.ts'
import type { Claims } from '../device-names.ts'
import type { DnsRrset } from '../schema.ts'
import { toRelativeName, toReverseLabel, type Zone, type ZoneIndex } from '../zone-index.ts'
import type { Delegations } from './delegations.ts'

export type Wanted = Pick<DnsRrset, 'name' | 'type' | 'ttl' | 'values' | 'source' | 'device_ids' | 'record_ids'> & {
  /** '' without a conflict. */
  readonly conflict: string
}

/** The values of one device, by type. */
type Given = Map<string, Set<string>>
type Claimed = {
  /** Names by device. */
  readonly own: Map<string, Given>
  readonly shared: Map<string, Given>
}

const getAddressType = (ip: string): string => (ip.includes(':') ? 'AAAA' : 'A')

const add = (to: Map<string, Given>, deviceId: string, type: string, value: string): void => {
  const given: Given = to.get(deviceId) ?? new Map()
  to.set(deviceId, given)
  given.set(type, (given.get(type) ?? new Set()).add(value))
}

const sortUnique = (values: Iterable<string>): string[] => [...new Set(values)].sort()

/** One text for equal values. */
const buildLikeness = (given: Given): string =>
  [...given]
    .map(([type, values]) => `${type} ${sortUnique(values).join(' ')}`)
    .sort()
    .join(', ')

const MOST_NAMED = 5

/** Collects claims; most names have one, and a zone may have many names. */
export class ZoneContent {
  readonly #zone: Zone
  readonly #index: ZoneIndex
  readonly #delegations: Delegations
  readonly #only: ReadonlySet<string> | undefined
  readonly #claimed = new Map<string, Claimed>()

  /** @param only the names that are computed, relative to the zone; all without it */
  constructor(zone: Zone, index: ZoneIndex, delegations: Delegations, only?: ReadonlySet<string>) {
    this.#zone = zone
    this.#index = index
    this.#delegations = delegations
    this.#only = only
  }

  /** Adds the claims of a device of the filter of the zone. */
  add({ deviceId, names, targets }: Claims): void {
    for (const { name, ip, isOwn } of names)
      if (this.#index.forName(name).includes(this.#zone)) {
        const claimed = this.#at(toRelativeName(name, this.#zone.name))
        if (claimed) add(isOwn ? claimed.own : claimed.shared, deviceId, getAddressType(ip), ip)
      }
    for (const { ip, name } of targets)
      if (this.#zone.cidr && this.#index.forAddress(ip).includes(this.#zone)) {
        const claimed = this.#at(toReverseLabel(this.#zone, ip))
        if (claimed) add(claimed.own, deviceId, 'PTR', name)
      }
  }

  /** Adds the CNAMEs (RFC 2317) of the PTRs that a device of the filter of a longer zone gives. */
  addChild(child: Zone, { deviceId, targets }: Claims): void {
    for (const { ip } of targets) {
      if (!this.#index.forAddress(ip).includes(child) || !this.#index.parentsFor(ip).includes(this.#zone)) continue
      const claimed = this.#at(toRelativeName(buildReverseName(ip), this.#zone.name))
      if (claimed) add(claimed.shared, deviceId, 'CNAME', buildChildName(child, ip))
    }
  }

  /** @param records the own records of the zone with these names */
  *wanted(records: readonly DnsRecord[]): Generator<Wanted> {
    const own = Map.groupBy(records, ({ name }) => name)
    const isComputed = (name: string): boolean => !this.#only || this.#only.has(name)
    for (const name of new Set([...this.#claimed.keys(), ...own.keys()]))
      if (isComputed(name)) yield* this.#rrsets(name, own.get(name) ?? [])
    for (const { name, servers } of this.#delegations.children)
      if (isComputed(name) && !own.get(name)?.some(({ type }) => type === 'NS' || type === 'CNAME'))
        yield {
          ...{ name, type: 'NS', ttl: this.#zone.ttl, source: 'device', values: sortUnique(servers) },
          ...{ device_ids: [], record_ids: [], conflict: '' },
        }
  }

  #at(name: string): Claimed | undefined {
    if (this.#only && !this.#only.has(name)) return undefined
    const claimed = this.#claimed.get(name) ?? { own: new Map(), shared: new Map() }
    this.#claimed.set(name, claimed)
    return claimed
  }

  *#rrsets(name: string, records: readonly DnsRecord[]): Generator<Wanted> {
    const byType = Map.groupBy(records, ({ type }) => type as string)
    const given = this.#ofDevices(name)
    for (const [type, own] of byType) yield this.#ofRecords({ name, type, records: own }, given)
    if (byType.has('CNAME')) return
    const isAlone = byType.size === 0
    for (const one of given)
      if (!byType.has(one.type) && (one.type !== 'CNAME' || isAlone)) yield this.#withDelegation(one)
  }

  /** An RRset of devices is in conflict where other servers serve its name. */
  #withDelegation(one: Wanted): Wanted {
    const conflict = this.#delegations.explain(one.name, one.type)
    return conflict === '' ? one : { ...one, values: [], conflict }
  }

  #ofRecords(
    { name, type, records }: { name: string; type: string; records: readonly DnsRecord[] },
    given: readonly Wanted[],
  ): Wanted {
    const replaced = given.find((one) => one.type === type)
    return {
      ...{ name, type, source: 'record' },
      // RFC 2181 section 5.2: the records of an RRset have one TTL.
      ttl: Math.min(...records.map(({ ttl }) => ttl ?? this.#zone.ttl)),
      values: sortUnique(records.map(({ value }) => value)),
      device_ids: replaced?.device_ids ?? [],
      record_ids: records.map(({ id }) => id),
      conflict: '',
    }
  }

  #ofDevices(name: string): Wanted[] {
    const { own, shared } = this.#claimed.get(name) ?? {}
    const holders = own && own.size > 0 ? own : shared
    if (!holders || holders.size === 0) return []
    const kinds = holders === own ? sortUnique([...own.values()].map(buildLikeness)) : []
    const byType = Map.groupBy(
      [...holders].flatMap(([device, given]) => [...given].map(([type, values]) => ({ device, type, values }))),
      ({ type }) => type,
    )
    // An address with two names is in conflict, even if one device gives both.
    const targets = sortUnique((byType.get('PTR') ?? []).flatMap(({ values }) => [...values]))
    const isConflict = kinds.length > 1 || targets.length > 1
    const conflict = isConflict ? formatConflict(targets.length > 1 ? targets : kinds) : ''
    const all = [...byType].map(
      ([type, given]): Wanted => ({
        ...{ name, type, ttl: this.#zone.ttl, source: 'device' },
        values: isConflict ? [] : sortUnique(given.flatMap(({ values }) => [...values])),
        device_ids: sortUnique(given.map(({ device }) => device)),
        ...{ record_ids: [], conflict },
      }),
    )
    // RFC 2181 section 10.1: a CNAME has no other record beside it.
    return all.length > 1 ? all.filter(({ type }) => type !== 'CNAME') : all
  }
}

const formatConflict = (kinds: readonly string[]): string => {
  const named = kinds.slice(0, MOST_NAMED).map((kind) => (kind.length > 200 ? `${kind.slice(0, 200)} ...` : kind))
  const others = kinds.length - named.length
  return `is claimed with different values: ${named.join('; ')}${others > 0 ? `; and ${others} more` : ''}`
}

const buildChildName = (child: Zone, ip: Ip): string =>
  child.cidr ? buildReverseNameInZone({ prefix: child.cidr.prefix, name: child.name }, ip) : formatIp(ip)

/** Returns the key of an RRset in maps. */
export const buildRrsetKey = (name: string, type: string): string => `${name} ${type}`

/** Returns the reverse of `buildRrsetKey`. Names have no blanks: they are escaped. */
export const parseRrsetKey = (key: string): { readonly name: string; readonly type: string } => {
  const at = key.lastIndexOf(' ')
  return { name: key.slice(0, at), type: key.slice(at + 1) }
}
