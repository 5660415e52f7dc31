/** The registry of the kinds of objects that have a history: one entry for each resource of the estate. */

import type { AppError } from '../../contract/errors.ts'
import { toText } from '../../contract/unknown.ts'
import * as discovery from '../../discovery/discovery.ts'
import * as cables from '../../inventory/cables/cables.ts'
import * as customFields from '../../inventory/custom-fields/custom-fields.ts'
import * as devices from '../../inventory/devices/devices.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import * as networks from '../../inventory/networks/networks.ts'
import * as pools from '../../inventory/pools/pools.ts'
import * as ports from '../../inventory/ports/ports.ts'
import * as relationships from '../../inventory/relationships/relationships.ts'
import * as reservations from '../../inventory/reservations/reservations.ts'
import { FACTS, INVENTORY, type Resource } from '../../inventory/resources.ts'
import * as scanners from '../../inventory/scanners/rules.ts'
import { findSpaceKeys, type InSpace, type SpaceKeys } from '../../inventory/spaces/keys.ts'
import type { PlainTable } from '../../inventory/tables.ts'
import * as vlans from '../../inventory/vlans/vlans.ts'
import type { EarlierDocuments, RecordedItem } from '../../kernel/changes/change-record.ts'
import type { Ctx, Feature, StoreScope } from '../../kernel/ctx.ts'
import { getOneStep } from '../../kernel/implement.ts'
import { parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { DEFAULT_SPACE, parseIpKeyOrThrow } from '../../net/ip.ts'
import { toNameKey, toNameOrder } from '../../net/name-order.ts'
import { getLabel, listKeyedFields } from '../../resource/columns.ts'
import type { ResourceFacts } from '../../resource/facts.ts'
import { objectStore, type StoredObject } from '../../resource/store.ts'
import { type Kind, type KindOf, toKind } from './kind-names.ts'
import type { HistoryRow } from './table.ts'

/** A parsed document. */
export type Document = Readonly<Record<string, unknown>>

/** The last state of an object that a transaction has changed. */
export type LastState = {
  /** The stored JSON. */
  readonly json: string
  readonly document: Document
  /** The object is deleted, and `document` is the one before the transaction. */
  readonly isGone: boolean
}

/** An object to be made again. */
export type Lost = {
  readonly id: string
  readonly document: Document
  /** Set for a reservation: the devices with its address had it together with the reservation. */
  readonly isShared: boolean
}

/** The things that make, set and delete objects beside the context. */
export type Means = discovery.ScanLimits & {
  /** The operations of all resources. */
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
  /** Checks an object after an update that skipped moving objects. @throws AppError */
  readonly requireInside?: (ctx: Ctx, id: string) => Promise<void>
  readonly remove: (ctx: Ctx, id: string, means: Means) => Promise<unknown>
  /** Like `create` and `remove` of each, with few queries for all. */
  readonly createAll?: (ctx: Ctx, objects: readonly Lost[]) => Promise<void>
  readonly removeAll?: (ctx: Ctx, ids: readonly string[]) => Promise<void>
  /** Objects may exchange values of these fields. Their updates are one step, of which the state after it counts. */
  readonly exchange?: {
    readonly fields: readonly string[]
    /** Returns the errors of refused updates, in order. */
    readonly updateAll: (ctx: Ctx, updates: readonly Lost[]) => Promise<(AppError | undefined)[]>
  }
  /** The field that names an object; undefined for objects that are named by their id. */
  readonly name?: string
  /** Returns the existing objects of these ids, as JSON text by id. */
  readonly documents: (ctx: Ctx, ids: readonly string[]) => Promise<Map<string, string>>
  /** Returns the data of the events of objects, as JSON in their order; undefined if that is the stored JSON. */
  readonly eventTexts?: (
    ctx: Ctx,
    states: readonly LastState[],
    earlier: EarlierDocuments,
  ) => readonly string[] | Promise<readonly string[]>
  /** Values of columns that SQL cannot derive from a document. */
  readonly derived?: (document: Document, space: SpaceKeys) => Readonly<Record<string, unknown>>
  /** The parts of a document that are in a space, if the keys of `derived` begin with that of the space. */
  readonly placed?: (document: Document) => readonly InSpace[]
  /** The second device that the object belongs to. */
  readonly childOf?: (id: string) => string
}

/** True if lower case in SQL, which only knows ASCII, equals lower case in the program. */
const isAscii = (value: string): boolean => !/[^\0-\x7f]/.test(value)

/** Returns a document as the draft or the patch of its resource. It satisfied the schema when it was stored. */
const given = <T>(document: Document): T => document as T

const buildRules = <Create, Update>(rules: {
  readonly create: (ctx: Ctx, draft: Create) => Promise<unknown>
  readonly update: (ctx: Ctx, patch: Update) => Promise<unknown>
  readonly remove: (ctx: Ctx, id: string) => Promise<unknown>
}): Pick<KindRules, 'create' | 'update' | 'remove'> => ({
  create: (ctx, { document }) => rules.create(ctx, given(document)),
  update: (ctx, id, fields) => rules.update(ctx, given({ id, ...fields })),
  remove: (ctx, id) => rules.remove(ctx, id),
})

/** Returns the JSON of objects as their events have them. @param toEventData of stored objects */
const buildTexts =
  <Stored>(
    toEventData: (
      ctx: Ctx,
      all: readonly { readonly stored: Stored; readonly isGone: boolean }[],
      earlier: EarlierDocuments,
    ) => Promise<readonly object[]>,
  ): NonNullable<KindRules['eventTexts']> =>
  async (ctx, states, earlier) => {
    const all = states.map(({ document, isGone }) => ({ stored: given<Stored>(document), isGone }))
    return (await toEventData(ctx, all, earlier)).map((data) => JSON.stringify(data))
  }

/** The resources among them with events that have more than the stored object. */
const EVENT_TEXTS: { readonly [R in PlainTable]?: KindRules['eventTexts'] } = {
  scanners: buildTexts(scanners.toEventData),
  vlans: buildTexts(vlans.toEventData),
}

/** Returns the rules of a resource with objects as rows: its operations apply them. */
const createPlainRules = (resource: PlainTable): KindRules => {
  const run = (verb: 'create' | 'update' | 'delete', ctx: Ctx, input: object, { operations }: Means) =>
    getOneStep(operations, `${resource}.${verb}`).run(ctx, input)
  const [, ...keyed] = listKeyedFields(FACTS[resource])
  const eventTexts = EVENT_TEXTS[resource]
  const toLowerCase = (document: Document) =>
    Object.fromEntries(keyed.map((field) => [field, toNameKey(String(document[field]))]))
  return {
    name: getLabel(FACTS[resource]),
    ...(keyed.length > 0 && { derived: toLowerCase }),
    ...(eventTexts && { eventTexts }),
    documents: objectStore<ResourceFacts, StoredObject>(FACTS[resource]).documents,
    create: (ctx, { document }, means) => run('create', ctx, document, means),
    update: (ctx, id, fields, means) => run('update', ctx, { id, ...fields }, means),
    remove: (ctx, id, means) => run('delete', ctx, { id }, means),
  }
}

/** Converts a document of this kind, which is a device. */
const toDevice = (document: Document): Device => document as unknown as Device

const getSpace = ({ space_id }: Document): InSpace => ({ space_id: toText(space_id) })

/** Returns the key of an address of a network. It leaves out the space of the network, which may change without the document. */
const buildAddressKey = (ip: unknown): string => parseIpKeyOrThrow(toText(ip), DEFAULT_SPACE)

/** Returns JSON of an object with one more member, the last one. */
export const addMember = (json: string, name: string, value: unknown): string =>
  `${json.slice(0, -1)},"${name}":${JSON.stringify(value)}}`

/** Returns a relationship as a create takes it. */
const toRelationship = (document: Document): Parameters<typeof relationships.create>[1] =>
  given({ ...document, device_id: document.parent_id })

/** The kinds with more rules than a plain table. */
const OWN_RULES: Readonly<Record<Exclude<Kind, KindOf<PlainTable>>, KindRules>> = {
  'custom-field': {
    name: 'name',
    documents: customFields.documents,
    ...buildRules(customFields),
    // An undo of its creation takes the values along that objects got since.
    remove: (ctx, id) => customFields.remove(ctx, id, true),
    derived: customFields.getDerived,
  },
  network: {
    name: 'name',
    documents: networks.findDocuments,
    ...buildRules(networks),
    update: (ctx, id, fields, { moving }) => networks.update(ctx, given({ id, ...fields }), moving),
    requireInside: networks.requireInside,
    placed: (document) => [getSpace(document)],
    derived: (document, space) => {
      const cidr = parseCidrOrThrow(toText(document.subnet))
      const { first, last } = toCidrKeys(cidr, space(getSpace(document)))
      return { first, last, prefix: cidr.prefix }
    },
  },
  pool: {
    name: 'name',
    documents: pools.findDocuments,
    ...buildRules(pools),
    update: (ctx, id, fields, { moving }) => pools.restore(ctx, given({ id, ...fields }), moving),
    requireInside: pools.requireInside,
    derived: ({ start_ip, end_ip }) => ({ start: buildAddressKey(start_ip), end: buildAddressKey(end_ip) }),
  },
  reservation: {
    name: 'ip_address',
    documents: reservations.findDocuments,
    ...buildRules(reservations),
    create: (ctx, { document, isShared }) => reservations.create(ctx, given(document), { isShared, isKept: true }),
    derived: ({ ip_address }) => ({ ip: buildAddressKey(ip_address) }),
  },
  device: {
    name: 'name',
    documents: devices.findDocuments,
    ...buildRules(devices),
    createAll: (ctx, all) =>
      devices.createAll(
        ctx,
        all.map(({ document }) => given(document)),
      ),
    removeAll: devices.removeAll,
    exchange: {
      fields: ['addresses', 'refs', 'mount', 'asset_tag', 'custom'],
      updateAll: (ctx, all) =>
        devices.updateAll(
          ctx,
          all.map(({ id, document }) => given({ id, ...document })),
        ),
    },
    eventTexts: (_, states) =>
      states.map(({ json, document }) => addMember(json, 'ip_address', toDevice(document).addresses[0]?.ip ?? '')),
    placed: (document) => toDevice(document).addresses,
    derived: (document, space) => {
      const device = toDevice(document)
      const search = devices.getSearchText(device)
      const ips = device.addresses.map((address) => parseIpKeyOrThrow(address.ip, space(address)))
      const custom = devices.toLowerCaseCustom(device)
      const isPlain = isAscii(JSON.stringify(custom))
      const { serial = '', asset_tag = '', role = '' } = device
      const keys = Object.entries({ serial, asset_tag, role }).filter(([, value]) => !isAscii(value))
      const later = Object.fromEntries(keys.map(([field, value]) => [field, toNameKey(value)]))
      return { ips, ...(!isAscii(search) && { search }), ...(!isPlain && { custom }), ...later }
    },
  },
  port: {
    name: 'name',
    documents: ports.findDocuments,
    ...buildRules(ports),
    createAll: (ctx, all) =>
      ports.createAll(
        ctx,
        all.map(({ document }) => given(document)),
      ),
    derived: ports.computeDerived,
  },
  cable: {
    name: 'label',
    documents: cables.findDocuments,
    ...buildRules(cables),
    eventTexts: buildTexts(cables.toEventData),
  },
  relationship: {
    documents: relationships.findDocuments,
    create: (ctx, { document }) => relationships.create(ctx, toRelationship(document)),
    createAll: (ctx, all) =>
      relationships.createAll(
        ctx,
        all.map(({ document }) => toRelationship(document)),
      ),
    update: (ctx, id, fields) => relationships.update(ctx, relationships.parseId(id), given(fields)),
    remove: (ctx, id) => relationships.remove(ctx, relationships.parseId(id)),
    childOf: (id) => relationships.parseId(id).child_id,
  },
  'discovery-rule': {
    documents: discovery.findRuleDocuments,
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

const isPlain = (resource: Resource): resource is PlainTable => !Object.hasOwn(OWN_RULES, toKind(resource))

/** The resources of the inventory with objects as rows. */
export const PLAIN: readonly PlainTable[] = INVENTORY.filter(isPlain)

/** A proposal may make a space, and no table has its key. */
const SPACE_RULES: KindRules = {
  ...createPlainRules('spaces'),
  placed: ({ id }) => [getSpace({ space_id: id })],
  derived: ({ id }, space) => ({ key: space(getSpace({ space_id: id })) }),
}

// The other kinds belong to plain tables.
export const KIND_RULES = {
  ...Object.fromEntries(PLAIN.map((resource) => [toKind(resource), createPlainRules(resource)])),
  space: SPACE_RULES,
  ...OWN_RULES,
} as Readonly<Record<Kind, KindRules>>

/** Returns the document of a stored JSON text. */
export const parseDocument = (json: string): Document => JSON.parse(json) as Document

/** Returns the name of an object by its document. */
export const getName = (kind: Kind, id: string, document: Document | undefined): string => {
  const { name } = KIND_RULES[kind]
  return (name !== undefined && toText(document?.[name])) || id
}

/** An object of a change, without the number of the change. */
type RecordedRow = Omit<HistoryRow, 'seq'>

type RowItem = Pick<RecordedItem, 'kind' | 'id' | 'before'>

/** Returns the row of a new object, which no past state has. */
const toNewRow = ({ kind, id }: RowItem): RecordedRow => {
  // The stores declare the kinds.
  const { childOf } = KIND_RULES[kind as Kind]
  return { kind, id, before: null, sort_key: null, order_key: '', derived: null, child_id: childOf?.(id) ?? null }
}

/** Returns the rows of objects, with the columns from which a past state is read. */
export const buildRows = async (scope: StoreScope, items: readonly RowItem[]): Promise<RecordedRow[]> => {
  if (items.every(({ before }) => before === undefined)) return items.map(toNewRow)
  const read = items.map(({ kind, id, before }) => {
    // The stores declare the kinds.
    const rules = KIND_RULES[kind as Kind]
    const isRead = before !== undefined && (rules.name !== undefined || rules.derived !== undefined)
    return { kind, id, before: before ?? null, rules, document: isRead ? parseDocument(before) : undefined }
  })
  const placed = read.flatMap(({ rules, document }) => (document && rules.placed?.(document)) ?? [])
  const space = await findSpaceKeys(scope, placed)
  return read.map(({ kind, id, before, rules: { name, derived, childOf }, document }) => {
    const sort_key = name === undefined || !document ? null : toNameKey(toText(document[name]))
    return {
      ...{ kind, id, before, sort_key },
      order_key: sort_key === null ? '' : toNameOrder(sort_key),
      derived: derived && document ? JSON.stringify(derived(document, space)) : null,
      child_id: childOf?.(id) ?? null,
    }
  })
}
