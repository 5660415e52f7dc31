/** The scopes that the documents of objects state, by kind. For the past, where objects have no rows. */

import { toSingular } from '../../contract/command-name.ts'
import { toTextOrNull } from '../../contract/unknown.ts'
import { RESOURCES } from '../../inventory/resources.ts'
import { listFollowed, type ResourceFacts } from '../../resource/facts.ts'
import { toKind } from '../../resource/nouns.ts'
import { type ObjectFacts, type ScopeIds, type ScopesOf, toAddressRange } from './areas.ts'

export type ObjectId = { readonly kind: string; readonly id: string }

type Document = Readonly<Record<string, unknown>>
type AddressRanges = NonNullable<ObjectFacts['ranges']>

/** The facts of an object. The places of some are in the address space of the object that they belong to. */
type OwnFacts = {
  readonly facts: ObjectFacts
  /** The object with the scopes and address space that it inherits. */
  readonly inherits?: ObjectId
  /** The address space of the objects that inherit from it, if it has one itself. */
  readonly space_id?: string | null
}

/** An object of no scope itself is reached if all of these are. Definitions name none. */
type Following = { readonly follows: readonly ObjectId[] }

export type DocumentScope = OwnFacts | Following

const toObjectId = (kind: string, id: unknown): ObjectId => ({ kind, id: toTextOrNull(id) ?? '' })

const getTags = ({ tags }: Document): readonly string[] =>
  // The list of a document that its schema has accepted.
  (tags ?? []) as string[]

const listAddressRanges = ({ addresses }: Document): AddressRanges =>
  // The tags as in `getTags`.
  ((addresses ?? []) as { ip: string; space_id?: string }[]).map(({ ip, space_id = null }) => ({
    first: ip,
    last: ip,
    space_id,
  }))

const buildRange = (first: unknown, last: unknown): AddressRanges => [
  { first: toTextOrNull(first) ?? '', last: toTextOrNull(last) ?? '', space_id: null },
]

const isDefinition = (): DocumentScope => ({ follows: [] })

/** Returns the scopes of a resource whose objects follow others, or are definitions; undefined for others. */
const buildFollowing = (facts: ResourceFacts) => {
  if (facts.scope === 'everywhere') return isDefinition
  const followed = listFollowed(facts).flatMap((field) => {
    const one = facts.fields[field]
    return one?.type === 'reference' ? [{ field, kind: toSingular(one.to) }] : []
  })
  if (followed.length === 0) return undefined
  return (_id: string, document: Document): DocumentScope => ({
    follows: followed.map(({ field, kind }) => toObjectId(kind, document[field])),
  })
}

const FOLLOWING = RESOURCES.flatMap((facts) => {
  const scopes = buildFollowing(facts)
  return scopes ? [[toKind(facts.name), scopes] as const] : []
})

const getPort = (end: unknown): ObjectId => toObjectId('port', (end as Document | undefined)?.port_id)

/** The views of the present, `views.ts`, say the same of tables. Objects of other kinds are in no scope. */
const BY_KIND: Readonly<Record<string, (id: string, document: Document) => DocumentScope>> = {
  ...Object.fromEntries(FOLLOWING),
  space: (id) => ({ facts: { space_id: id } }),
  datacenter: (id, { parent_id }) => ({ facts: { datacenter_id: id, parent_id: toTextOrNull(parent_id) } }),
  network: (_, { datacenter_id, subnet, space_id }) => ({
    facts: {
      datacenter_id: toTextOrNull(datacenter_id),
      ranges: [toAddressRange(toTextOrNull(subnet) ?? '', toTextOrNull(space_id))],
    },
    space_id: toTextOrNull(space_id),
  }),
  pool: (_, document) => ({
    facts: { tags: getTags(document), ranges: buildRange(document.start_ip, document.end_ip) },
    inherits: toObjectId('network', document.network_id),
  }),
  reservation: (_, { ip_address, pool_id }) => ({
    facts: { ranges: buildRange(ip_address, ip_address) },
    inherits: toObjectId('pool', pool_id),
  }),
  device: (_, document) => ({
    facts: {
      datacenter_id: toTextOrNull(document.datacenter_id),
      tags: getTags(document),
      ranges: listAddressRanges(document),
    },
  }),
  object: (_, { datacenter_id, kind_id }) => ({
    facts: { datacenter_id: toTextOrNull(datacenter_id), kind_id: toTextOrNull(kind_id) ?? '' },
  }),
  cable: (_, { a, b }) => ({ follows: [getPort(a), getPort(b)] }),
  'discovery-rule': (_, { network_id }) => ({ follows: [toObjectId('network', network_id)] }),
  'discovery-lock': (_, { device_id }) => ({ follows: [toObjectId('device', device_id)] }),
}

/** Returns what a document says; undefined for an object that is in no scope. */
export const getPlacing = ({ kind, id }: ObjectId, document: Document): DocumentScope | undefined =>
  BY_KIND[kind]?.(id, document)

/** Returns the objects that decide the scopes of another one. */
export const listRelated = (documentScope: DocumentScope): readonly ObjectId[] =>
  'follows' in documentScope ? documentScope.follows : documentScope.inherits ? [documentScope.inherits] : []

/** The scopes and the address space of an object in one state of the estate. */
type Place = { readonly scopes: ScopeIds; readonly space_id: string | null }

/** A state of the estate: its scopes, and the documents of its objects. */
export type PlacedState = {
  readonly setOf: ScopesOf
  /** Returns undefined for an object that does not exist. */
  readonly at: (object: ObjectId) => DocumentScope | undefined
}

/** Returns the place of an object that follows no others. */
export const findPlace = (documentScope: DocumentScope, state: PlacedState): Place => {
  if ('follows' in documentScope) return { scopes: [], space_id: null }
  const { facts, inherits, space_id = null } = documentScope
  if (!inherits) return { scopes: state.setOf(facts), space_id }
  const parent = state.at(inherits)
  const from = parent ? findPlace(parent, state) : undefined
  const ranges = from ? (facts.ranges ?? []).map((range) => ({ ...range, space_id: from.space_id })) : []
  return {
    scopes: state.setOf({ ...facts, ranges, inherited: from?.scopes ?? [] }),
    space_id: from?.space_id ?? null,
  }
}
