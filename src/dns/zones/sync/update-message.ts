/**
 * The messages of a sync (RFC 2136). Prerequisites prove the state that they replace: a new RRset must not exist, and one that changes or
 * goes must be exactly the published one.
 */
import { type Prerequisite, type RrsetChange, updateSize } from '../../../net/dns/update.ts'
import type { Rrset } from '../rrset-store.ts'
import { toFullName } from '../zone-index.ts'

export type RrsetUpdate = {
  readonly rrset: Rrset
  readonly prerequisites: readonly Prerequisite[]
  readonly changes: readonly RrsetChange[]
  readonly bytes: number
}

const MOST_RRSETS = 500
export const MOST_BYTES = 60_000

const buildPrerequisites = (name: string, { type, wanted, published }: Rrset): Prerequisite[] => {
  if (published !== null) return [{ kind: 'equals', name, type, values: published }]
  // RFC 2181 section 10.1: nothing else stands beside a CNAME.
  if (type === 'CNAME' && wanted !== null) return [{ kind: 'unused', name }]
  const absent: Prerequisite = { kind: 'absent', name, type }
  return wanted === null ? [absent] : [absent, { kind: 'absent', name, type: 'CNAME' }]
}

/** Returns the part of a message that makes an RRset the wanted one. */
export const buildUpdate = (rrset: Rrset, zone: string): RrsetUpdate => {
  const { type, wanted, wanted_ttl: ttl, published } = rrset
  const name = toFullName(rrset.name, zone)
  const prerequisites = buildPrerequisites(name, rrset)
  const changes: RrsetChange[] = []
  // Knot keeps the TTL of an RRset that is not deleted first.
  if (published !== null) changes.push({ kind: 'delete', name, type })
  if (wanted !== null) changes.push({ kind: 'add', name, type, ttl, values: wanted })
  return { rrset, prerequisites, changes, bytes: updateSize([...prerequisites, ...changes]) }
}

/** Cuts updates into messages. */
export const splitIntoMessages = <U extends { readonly bytes: number }>(updates: readonly U[]): U[][] => {
  const messages: U[][] = []
  let last: U[] = []
  let bytes = 0
  for (const update of updates) {
    if (last.length === MOST_RRSETS || (last.length > 0 && bytes + update.bytes > MOST_BYTES)) {
      messages.push(last)
      last = []
      bytes = 0
    }
    last.push(update)
    bytes += update.bytes
  }
  return last.length > 0 ? [...messages, last] : messages
}

/**
 * Returns the RRsets to send first: RRsets that make room for a CNAME, or that a CNAME leaves. The others need another message, because
 * all prerequisites are checked before any change.
 */
export const orderRrsets = (rrsets: readonly Rrset[]): readonly (readonly Rrset[])[] => {
  const byName = Map.groupBy(rrsets, ({ name }) => name)
  const isFirst = ({ name, wanted }: Rrset): boolean => {
    const beside = byName.get(name) ?? []
    return wanted === null && beside.length > 1 && beside.some(({ type }) => type === 'CNAME')
  }
  const first = rrsets.filter(isFirst)
  return first.length === 0 ? [rrsets] : [first, rrsets.filter((one) => !isFirst(one))]
}
