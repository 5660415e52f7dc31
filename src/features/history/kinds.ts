/** The registry of the kinds of objects that have a history: one entry for each resource of the estate. */
import type { z } from 'zod'
import { cidrKeys, cidrOfText } from '../../net/cidr.ts'
import { DEFAULT_SPACE, ipKeyOf } from '../../net/ip.ts'
import type { AppError } from '../../platform/contract/errors.ts'
import type { RecordedItem } from '../../platform/operation/change-record.ts'
import { oneStep } from '../../platform/operation/implement.ts'
import * as cables from '../cables/cables.ts'
import type { Ctx, Feature, StoreScope } from '../ctx.ts'
import * as customFields from '../custom-fields/custom-fields.ts'
import * as deviceTypes from '../device-types/device-types.ts'
import * as devices from '../devices/devices.ts'
import type { Device } from '../devices/schema.ts'
import * as discovery from '../discovery/discovery.ts'
import { contracts } from '../index.ts'
import { contractOf, INVENTORY, type Resource } from '../inventory.ts'
import { type Named, namedStore } from '../named-store.ts'
import * as networks from '../networks/networks.ts'
import * as pools from '../pools/pools.ts'
import * as ports from '../ports/ports.ts'
import * as relationships from '../relationships/relationships.ts'
import * as reservations from '../reservations/reservations.ts'
import { type InSpace, type SpaceKeys, spaceKeys } from '../spaces/keys.ts'
import type { PlainTable } from '../tables.ts'
import * as vlans from '../vlans/vlans.ts'
import { type Kind, type KindOf, kindOf } from './kind-names.ts'
import type { HistoryRow } from './table.ts'

/** A parsed document. */
export type Document = Readonly<Record<string, unknown>>

/** An object to be made again. */
export type Lost = {
  readonly id: string
  readonly document: Document
  /** Of a reservation: the devices with its address had it together with the reservation. */
  readonly isShared: boolean
}

/** The things that make, set and delete objects beside the context. */
export type Means = discovery.ScanLimits & {
  /** Of all resources. */
  readonly operations: Feature['operations']
}

/** The same, in a run of steps. */
export type StepMeans = Means & {
  /** Pools and devices that later steps change: until then they may be outside of their network or pool. */
  readonly moving: ReadonlySet<string>
}

export type KindRules = {
  /** Makes a deleted object again, with its id and the time of its creation, by the rules of its resource. */
  readonly create: (ctx: Ctx, object: Lost, means: Means) => Promise<unknown>
  /** Sets some fields of an object. */
  readonly update: (ctx: Ctx, id: string, fields: Document, means: StepMeans) => Promise<unknown>
  /** Checks an object whose update has passed over those that were moving. @throws AppError */
  readonly requireInside?: (ctx: Ctx, id: string) => Promise<void>
  readonly remove: (ctx: Ctx, id: string, means: Means) => Promise<unknown>
  /** As `create` and `remove` of each, with few queries for all. */
  readonly createAll?: (ctx: Ctx, objects: readonly Lost[]) => Promise<void>
  readonly removeAll?: (ctx: Ctx, ids: readonly string[]) => Promise<void>
  /** Objects may exchange values of these fields. Their updates are one step, of which the state after it counts. */
  readonly exchange?: {
    readonly fields: readonly string[]
    /** Returns the errors of refused updates, in order. */
    readonly updateAll: (ctx: Ctx, updates: readonly Lost[]) => Promise<(AppError | undefined)[]>
  }
  /** The field that names an object; undefined for those that are named by their id. */
  readonly name?: string
  /** Returns the existing objects of those ids, as JSON text by id. */
  readonly documents: (ctx: Ctx, ids: readonly string[]) => Promise<Map<string, string>>
  /** Values of columns that SQL cannot derive from a document. */
  readonly derived?: (document: Document, space: SpaceKeys) => Readonly<Record<string, unknown>>
  /** The parts of a document that are in a space, if the keys of `derived` begin with that of the space. */
  readonly placed?: (document: Document) => readonly InSpace[]
  /** The second device that the object belongs to. */
  readonly childOf?: (id: string) => string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** True if lower case in SQL, which knows ASCII alone, is that of the program. */
const isAscii = (value: string): boolean => !/[^\0-\x7f]/.test(value)

/** A document as the draft or the patch of its resource, whose schema it satisfied when it was stored. */
const given = <T>(document: Document): T => document as T

const rulesOf = <Create, Update>(rules: {
  readonly create: (ctx: Ctx, draft: Create) => Promise<unknown>
  readonly update: (ctx: Ctx, patch: Update) => Promise<unknown>
  readonly remove: (ctx: Ctx, id: string) => Promise<unknown>
}): Pick<KindRules, 'create' | 'update' | 'remove'> => ({
  create: (ctx, { document }) => rules.create(ctx, given(document)),
  update: (ctx, id, fields) => rules.update(ctx, given({ id, ...fields })),
  remove: (ctx, id) => rules.remove(ctx, id),
})

/** The rules of a resource whose rows are its objects: its operations apply them. */
const plainRules = (resource: PlainTable): KindRules => {
  const run = (verb: 'create' | 'update' | 'delete', ctx: Ctx, input: object, { operations }: Means) =>
    oneStep(operations, `${resource}.${verb}`).run(ctx, input)
  // The type of one of them would not allow the others.
  const schema: z.ZodObject & z.ZodType<Named> = contracts[contractOf(resource)].get.output
  return {
    name: 'name',
    documents: namedStore(resource, schema).documents,
    create: (ctx, { document }, means) => run('create', ctx, document, means),
    update: (ctx, id, fields, means) => run('update', ctx, { id, ...fields }, means),
    remove: (ctx, id, means) => run('delete', ctx, { id }, means),
  }
}

/** The documents of this kind are devices. */
const deviceOf = (document: Document): Device => document as unknown as Device

const inSpaceOf = ({ space_id }: Document): InSpace => ({ space_id: text(space_id) })

/** The key of an address of a network. It leaves out the space of the network, which may change without the document. */
const keyWithin = (ip: unknown): string => ipKeyOf(text(ip), DEFAULT_SPACE)

/** A relationship as a create takes it. */
const relationshipOf = (document: Document): Parameters<typeof relationships.create>[1] =>
  given({ ...document, device_id: document.parent_id })

/** The kinds whose rules are more than those of a plain table. */
const OWN_RULES: Readonly<Record<Exclude<Kind, KindOf<PlainTable>>, KindRules>> = {
  'custom-field': {
    name: 'name',
    documents: customFields.documents,
    ...rulesOf(customFields),
    // An undo of its creation takes the values along that objects got since.
    remove: (ctx, id) => customFields.remove(ctx, id, true),
    derived: customFields.derivedOf,
  },
  'device-type': { name: 'name', documents: deviceTypes.documents, ...rulesOf(deviceTypes) },
  vlan: { name: 'name', documents: vlans.documents, ...rulesOf(vlans), derived: vlans.derivedOf },
  network: {
    name: 'name',
    documents: networks.documents,
    ...rulesOf(networks),
    update: (ctx, id, fields, { moving }) => networks.update(ctx, given({ id, ...fields }), moving),
    requireInside: networks.requireInside,
    placed: (document) => [inSpaceOf(document)],
    derived: (document, space) => {
      const cidr = cidrOfText(text(document.subnet))
      const { first, last } = cidrKeys(cidr, space(inSpaceOf(document)))
      return { first, last, prefix: cidr.prefix }
    },
  },
  pool: {
    name: 'name',
    documents: pools.documents,
    ...rulesOf(pools),
    update: (ctx, id, fields, { moving }) => pools.restore(ctx, given({ id, ...fields }), moving),
    requireInside: pools.requireInside,
    derived: ({ start_ip, end_ip }) => ({ start: keyWithin(start_ip), end: keyWithin(end_ip) }),
  },
  reservation: {
    name: 'ip_address',
    documents: reservations.documents,
    ...rulesOf(reservations),
    create: (ctx, { document, isShared }) => reservations.create(ctx, given(document), isShared),
    derived: ({ ip_address }) => ({ ip: keyWithin(ip_address) }),
  },
  device: {
    name: 'name',
    documents: devices.documents,
    ...rulesOf(devices),
    createAll: (ctx, all) =>
      devices.createAll(
        ctx,
        all.map(({ document }) => given(document)),
      ),
    removeAll: devices.removeAll,
    exchange: {
      fields: ['addresses', 'refs', 'mount', 'custom'],
      updateAll: (ctx, all) =>
        devices.updateAll(
          ctx,
          all.map(({ id, document }) => given({ id, ...document })),
        ),
    },
    placed: (document) => deviceOf(document).addresses,
    derived: (document, space) => {
      const device = deviceOf(document)
      const search = devices.searchTextOf(device)
      const ips = device.addresses.map((address) => ipKeyOf(address.ip, space(address)))
      const custom = devices.lowerCaseCustom(device)
      const isPlain = isAscii(JSON.stringify(custom))
      return { ips, ...(!isAscii(search) && { search }), ...(!isPlain && { custom }) }
    },
  },
  port: {
    name: 'name',
    documents: ports.documents,
    ...rulesOf(ports),
    createAll: (ctx, all) =>
      ports.createAll(
        ctx,
        all.map(({ document }) => given(document)),
      ),
    derived: ports.derivedOf,
  },
  cable: { name: 'label', documents: cables.documents, ...rulesOf(cables) },
  relationship: {
    documents: relationships.documents,
    create: (ctx, { document }) => relationships.create(ctx, relationshipOf(document)),
    createAll: (ctx, all) =>
      relationships.createAll(
        ctx,
        all.map(({ document }) => relationshipOf(document)),
      ),
    update: (ctx, id, fields) => relationships.update(ctx, relationships.tripleOfId(id), given(fields)),
    remove: (ctx, id) => relationships.remove(ctx, relationships.tripleOfId(id)),
    childOf: (id) => relationships.tripleOfId(id).child_id,
  },
  'discovery-rule': {
    documents: discovery.ruleDocuments,
    create: (ctx, { id, document }, means) => discovery.rules.create(ctx, given({ id, ...document }), means),
    update: (ctx, id, fields, means) => discovery.rules.update(ctx, given({ id, ...fields }), means),
    remove: (ctx, id, means) => discovery.rules.remove(ctx, id, means),
  },
  'discovery-lock': {
    documents: discovery.lockDocuments,
    create: (ctx, { document }) => discovery.locks.create(ctx, given(document)),
    update: async () => {
      throw new Error('a lock has no field that changes')
    },
    remove: (ctx, id) => {
      const [device_id = '', field = ''] = id.split(' ')
      return discovery.locks.remove(ctx, { device_id, field })
    },
  },
}

const isPlain = (resource: Resource): resource is PlainTable => !Object.hasOwn(OWN_RULES, kindOf(resource))

/** The resources of the inventory whose rows are their objects. */
export const PLAIN: readonly PlainTable[] = INVENTORY.filter(isPlain)

// The other kinds are those of plain tables.
export const KIND_RULES = {
  ...Object.fromEntries(PLAIN.map((resource) => [kindOf(resource), plainRules(resource)])),
  ...OWN_RULES,
} as Readonly<Record<Kind, KindRules>>

/** The document of a stored JSON text. */
export const documentOf = (json: string): Document => JSON.parse(json) as Document

/** Returns the name of an object by its document. */
export const nameOf = (kind: Kind, id: string, document: Document | undefined): string => {
  const { name } = KIND_RULES[kind]
  return (name !== undefined && text(document?.[name])) || id
}

/** An object of a change, without the number of the change. */
type RecordedRow = Omit<HistoryRow, 'seq'>

/** Returns the rows of objects, with the columns from which a past state is read. */
export const rowsOf = async (
  scope: StoreScope,
  items: readonly Pick<RecordedItem, 'kind' | 'id' | 'before'>[],
): Promise<RecordedRow[]> => {
  const read = items.map(({ kind, id, before }) => {
    // The kinds are those that the stores declare.
    const rules = KIND_RULES[kind as Kind]
    const isRead = before !== undefined && (rules.name !== undefined || rules.derived !== undefined)
    return { kind, id, before: before ?? null, rules, document: isRead ? documentOf(before) : undefined }
  })
  const placed = read.flatMap(({ rules, document }) => (document && rules.placed?.(document)) ?? [])
  const space = await spaceKeys(scope, placed)
  return read.map(({ kind, id, before, rules: { name, derived, childOf }, document }) => ({
    ...{ kind, id, before },
    sort_key: name === undefined || !document ? null : text(document[name]).toLowerCase(),
    derived: derived && document ? JSON.stringify(derived(document, space)) : null,
    child_id: childOf?.(id) ?? null,
  }))
}
