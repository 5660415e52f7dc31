/** The scopes that an object is in, by its own facts: the one definition. */
import { listEnclosingCidrs, parseCidrOrThrow } from '../../net/cidr.ts'
import { formatIp, parseIp } from '../../net/ip.ts'
import type { Scope } from './api.ts'

/** The parts of a scope that decide. */
export type ScopeFacts = Pick<Scope, 'id' | 'datacenter_ids' | 'space_ids' | 'subnets' | 'tags' | 'kind_ids'>

/** An address, or the first and the last one of a range, in an address space; null is the default one. */
type AddressRange = { readonly first: string; readonly last: string; readonly space_id: string | null }

/** The facts by which an object is in a scope. */
export type ObjectFacts = {
  /** The datacenter itself, or that of the object. */
  readonly datacenter_id?: string | null
  /** The datacenter above a datacenter, which may be deleted itself. */
  readonly parent_id?: string | null
  /** The address space itself. */
  readonly space_id?: string
  /** The kind of an object. */
  readonly kind_id?: string
  readonly tags?: readonly string[]
  readonly ranges?: readonly AddressRange[]
  /** The scopes of the object that it belongs to: of the network of a pool or a discovered device, or of a reservation's pool. */
  readonly inherited?: Iterable<string>
}

/** The ids of scopes, sorted. */
export type ScopeIds = readonly string[]

export type ScopesOf = (facts: ObjectFacts) => ScopeIds

const buildIndex = (scopes: readonly ScopeFacts[], keysOf: (scope: ScopeFacts) => readonly string[]) => {
  const byKey = new Map<string, string[]>()
  for (const scope of scopes)
    for (const key of keysOf(scope)) {
      const ids = byKey.get(key)
      if (ids) ids.push(scope.id)
      else byKey.set(key, [scope.id])
    }
  return byKey
}

/** Returns true if the block ends at or after the address. */
const holds = (subnet: string, last: string): boolean => {
  const ip = parseIp(last)
  const block = parseCidrOrThrow(subnet)
  return ip !== undefined && ip.family === block.family && ip.value <= block.last
}

/** Returns the function that tells which of these scopes an object is in. */
export const createScopeMatcher = (scopes: readonly ScopeFacts[]): ScopesOf => {
  const byDatacenter = buildIndex(scopes, ({ datacenter_ids }) => datacenter_ids)
  const bySpace = buildIndex(scopes, ({ space_ids }) => space_ids)
  const bySubnet = buildIndex(scopes, ({ subnets }) => subnets)
  const byTag = buildIndex(scopes, ({ tags }) => tags)
  const byKind = buildIndex(scopes, ({ kind_ids = [] }) => kind_ids)
  return ({ datacenter_id, parent_id, space_id: own, kind_id, tags = [], ranges = [], inherited = [] }) => {
    const found = new Set(inherited)
    const add = (ids: readonly string[] | undefined) => {
      for (const id of ids ?? []) found.add(id)
    }
    if (datacenter_id) add(byDatacenter.get(datacenter_id))
    if (parent_id) add(byDatacenter.get(parent_id))
    if (own) add(bySpace.get(own))
    if (kind_id) add(byKind.get(kind_id))
    for (const tag of tags) add(byTag.get(tag))
    for (const { first, last, space_id } of ranges) {
      if (space_id !== null) add(bySpace.get(space_id))
      const ip = space_id === null && bySubnet.size > 0 ? parseIp(first) : undefined
      if (!ip) continue
      for (const subnet of listEnclosingCidrs(ip)) {
        const ids = bySubnet.get(subnet)
        if (ids && (first === last || holds(subnet, last))) add(ids)
      }
    }
    return [...found].sort()
  }
}

/** Returns the first and the last address of a subnet as a place. */
export const toAddressRange = (subnet: string, space_id: string | null): AddressRange => {
  const { family, first, last } = parseCidrOrThrow(subnet)
  return { first: formatIp({ family, value: first }), last: formatIp({ family, value: last }), space_id }
}
