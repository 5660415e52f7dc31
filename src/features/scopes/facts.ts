/** What the documents of objects say of the scopes that they are in, by kind. For the past, whose objects have no rows. */
import { type ObjectFacts, placeOfSubnet } from './areas.ts'

export type ObjectId = { readonly kind: string; readonly id: string }

type Document = Readonly<Record<string, unknown>>
type Places = NonNullable<ObjectFacts['places']>

/** The facts of an object. The places of some are in the address space of the object that they belong to. */
type OwnFacts = {
  readonly facts: ObjectFacts
  /** The object whose scopes and address space it inherits. */
  readonly inherits?: ObjectId
  /** The address space of those that inherit from it, if it has one itself. */
  readonly space_id?: string | null
}

/** An object of no scope itself is reached if all of these are. Definitions name none. */
type Following = { readonly follows: readonly ObjectId[] }

export type Placing = OwnFacts | Following

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const of = (kind: string, id: unknown): ObjectId => ({ kind, id: textOf(id) ?? '' })

const tagsOf = ({ tags }: Document): readonly string[] =>
  // The list of a document that its schema has accepted.
  (tags ?? []) as string[]

const placesOf = ({ addresses }: Document): Places =>
  // As `tagsOf`.
  ((addresses ?? []) as { ip: string; space_id?: string }[]).map(({ ip, space_id = null }) => ({
    first: ip,
    last: ip,
    space_id,
  }))

const range = (first: unknown, last: unknown): Places => [
  { first: textOf(first) ?? '', last: textOf(last) ?? '', space_id: null },
]

const followsDatacenter = (_id: string, { datacenter_id }: Document): Placing => ({
  follows: [of('datacenter', datacenter_id)],
})

const isDefinition = (): Placing => ({ follows: [] })

const portOf = (end: unknown): ObjectId => of('port', (end as Document | undefined)?.port_id)

/** The views of the present, `views.ts`, say the same of tables. Objects of other kinds are in no scope. */
const BY_KIND: Readonly<Record<string, (id: string, document: Document) => Placing>> = {
  space: (id) => ({ facts: { space_id: id } }),
  datacenter: (id) => ({ facts: { datacenter_id: id } }),
  network: (_, { datacenter_id, subnet, space_id }) => ({
    facts: {
      datacenter_id: textOf(datacenter_id),
      places: [placeOfSubnet(textOf(subnet) ?? '', textOf(space_id))],
    },
    space_id: textOf(space_id),
  }),
  pool: (_, document) => ({
    facts: { tags: tagsOf(document), places: range(document.start_ip, document.end_ip) },
    inherits: of('network', document.network_id),
  }),
  reservation: (_, { ip_address, pool_id }) => ({
    facts: { places: range(ip_address, ip_address) },
    inherits: of('pool', pool_id),
  }),
  device: (_, document) => ({
    facts: { datacenter_id: textOf(document.datacenter_id), tags: tagsOf(document), places: placesOf(document) },
  }),
  vlan: followsDatacenter,
  rack: followsDatacenter,
  port: (_, { device_id }) => ({ follows: [of('device', device_id)] }),
  cable: (_, { a, b }) => ({ follows: [portOf(a), portOf(b)] }),
  relationship: (_, { parent_id, child_id }) => ({ follows: [of('device', parent_id), of('device', child_id)] }),
  'discovery-rule': (_, { network_id }) => ({ follows: [of('network', network_id)] }),
  'discovery-lock': (_, { device_id }) => ({ follows: [of('device', device_id)] }),
  'custom-field': isDefinition,
  'device-type': isDefinition,
}

/** Returns what a document says; undefined for an object that is in no scope. */
export const placingOf = ({ kind, id }: ObjectId, document: Document): Placing | undefined =>
  BY_KIND[kind]?.(id, document)

/** Returns the objects by which another one is judged. */
export const relatedOf = (placing: Placing): readonly ObjectId[] =>
  'follows' in placing ? placing.follows : placing.inherits ? [placing.inherits] : []
