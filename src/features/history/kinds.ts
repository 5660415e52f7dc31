/** The registry of the kinds of objects that have a history: one entry for each resource of the estate. */
import { cidrKeys, cidrOfText } from '../../net/cidr.ts'
import { ipKeyOf } from '../../net/ip.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import type { Ctx } from '../ctx.ts'
import * as datacenters from '../datacenters/datacenters.ts'
import * as devices from '../devices/devices.ts'
import type { Device } from '../devices/schema.ts'
import * as discovery from '../discovery/discovery.ts'
import * as networks from '../networks/networks.ts'
import * as pools from '../pools/pools.ts'
import * as relationships from '../relationships/relationships.ts'
import * as reservations from '../reservations/reservations.ts'
import { type ItemChange, type Kind, NOUNS } from './api.ts'

/** A parsed document. */
export type Document = Readonly<Record<string, unknown>>

/** An object to be made again. */
export type Lost = {
  readonly id: string
  readonly document: Document
  /** Of a reservation: the devices with its address had it together with the reservation. */
  readonly isShared: boolean
}

/** The permissions to do by hand what an undo does. */
export type KindPermissions = Readonly<Record<ItemChange, Permission>>

export type KindRules = {
  /** The singular noun of summaries. */
  readonly noun: string
  readonly permissions: KindPermissions
  /** Makes a deleted object again, with its id and the time of its creation, by the rules of its resource. */
  readonly create: (ctx: Ctx, object: Lost, limits: discovery.ScanLimits) => Promise<unknown>
  /** Sets some fields of an object. */
  readonly update: (ctx: Ctx, id: string, fields: Document, limits: discovery.ScanLimits) => Promise<unknown>
  readonly remove: (ctx: Ctx, id: string, limits: discovery.ScanLimits) => Promise<unknown>
  /** As `create` and `remove` of each, with few queries for all. */
  readonly createAll?: (ctx: Ctx, objects: readonly Lost[]) => Promise<void>
  readonly removeAll?: (ctx: Ctx, ids: readonly string[]) => Promise<void>
  /** The field that names an object; undefined for those that are named by their id. */
  readonly name?: string
  /** Returns the existing objects of those ids, as JSON text by id. */
  readonly documents: (ctx: Ctx, ids: readonly string[]) => Promise<Map<string, string>>
  /** Values of columns that SQL cannot derive from a document. */
  readonly derived?: (document: Document) => Readonly<Record<string, unknown>>
  /** The second device that the object belongs to. */
  readonly childOf?: (id: string) => string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** True if lower case in SQL, which knows ASCII alone, is that of the program. */
const isAscii = (value: string): boolean => !/[^\0-\x7f]/.test(value)

const permissionsOf = (resource: string): KindPermissions => ({
  create: `${resource}:create`,
  update: `${resource}:update`,
  delete: `${resource}:delete`,
})

/** A document as the draft or the patch of its resource, whose schema it satisfied when it was stored. */
const given = <T>(document: Document): T => document as T

const rulesOf = <Create, Update>(
  resource: string,
  rules: {
    readonly create: (ctx: Ctx, draft: Create) => Promise<unknown>
    readonly update: (ctx: Ctx, patch: Update) => Promise<unknown>
    readonly remove: (ctx: Ctx, id: string) => Promise<unknown>
  },
): Pick<KindRules, 'permissions' | 'create' | 'update' | 'remove'> => ({
  permissions: permissionsOf(resource),
  create: (ctx, { document }) => rules.create(ctx, given(document)),
  update: (ctx, id, fields) => rules.update(ctx, given({ id, ...fields })),
  remove: (ctx, id) => rules.remove(ctx, id),
})

export const KIND_RULES: Readonly<Record<Kind, KindRules>> = {
  datacenter: {
    noun: NOUNS.datacenter,
    name: 'name',
    documents: datacenters.documents,
    ...rulesOf('datacenters', datacenters),
  },
  network: {
    noun: NOUNS.network,
    name: 'name',
    documents: networks.documents,
    ...rulesOf('networks', networks),
    derived: ({ subnet }) => {
      const cidr = cidrOfText(text(subnet))
      const { first, last } = cidrKeys(cidr)
      return { first, last, prefix: cidr.prefix }
    },
  },
  pool: {
    noun: NOUNS.pool,
    name: 'name',
    documents: pools.documents,
    ...rulesOf('pools', pools),
    derived: ({ start_ip, end_ip }) => ({ start: ipKeyOf(text(start_ip)), end: ipKeyOf(text(end_ip)) }),
  },
  reservation: {
    noun: NOUNS.reservation,
    name: 'ip_address',
    documents: reservations.documents,
    ...rulesOf('reservations', reservations),
    create: (ctx, { document, isShared }) => reservations.create(ctx, given(document), isShared),
    derived: ({ ip_address }) => ({ ip: ipKeyOf(text(ip_address)) }),
  },
  device: {
    noun: NOUNS.device,
    name: 'name',
    documents: devices.documents,
    ...rulesOf('devices', devices),
    createAll: (ctx, all) =>
      devices.createAll(
        ctx,
        all.map(({ document }) => given(document)),
      ),
    removeAll: devices.removeAll,
    derived: (document) => {
      // The documents of this kind are devices.
      const device = document as unknown as Device
      const search = devices.searchTextOf(device)
      return { ips: devices.keysOf(device), ...(!isAscii(search) && { search }) }
    },
  },
  relationship: {
    noun: NOUNS.relationship,
    documents: relationships.documents,
    permissions: permissionsOf('relationships'),
    create: (ctx, { document }) => relationships.create(ctx, given({ ...document, device_id: document.parent_id })),
    update: (ctx, id, fields) => relationships.update(ctx, relationships.tripleOfId(id), given(fields)),
    remove: (ctx, id) => relationships.remove(ctx, relationships.tripleOfId(id)),
    childOf: (id) => relationships.tripleOfId(id).child_id,
  },
  'discovery-rule': {
    noun: NOUNS['discovery-rule'],
    documents: discovery.ruleDocuments,
    permissions: permissionsOf('discovery'),
    create: (ctx, { id, document }, limits) => discovery.rules.create(ctx, given({ id, ...document }), limits),
    update: (ctx, id, fields, limits) => discovery.rules.update(ctx, given({ id, ...fields }), limits),
    remove: (ctx, id, limits) => discovery.rules.remove(ctx, id, limits),
  },
  'discovery-lock': {
    noun: NOUNS['discovery-lock'],
    documents: discovery.lockDocuments,
    permissions: { create: 'discovery:update', update: 'discovery:update', delete: 'discovery:update' },
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

/** The document of a stored JSON text. */
export const documentOf = (json: string): Document => JSON.parse(json) as Document

/** Returns the name of an object by its document. */
export const nameOf = (kind: Kind, id: string, document: Document | undefined): string => {
  const { name } = KIND_RULES[kind]
  return (name !== undefined && text(document?.[name])) || id
}

type Columns = { readonly sort_key: string | null; readonly derived: string | null; readonly child_id: string | null }

/** Returns the columns beside a document, from which a past state is read. */
export const columnsOf = (kind: Kind, id: string, json: string | undefined): Columns => {
  const { name, derived, childOf } = KIND_RULES[kind]
  const child_id = childOf?.(id) ?? null
  if (json === undefined || (!name && !derived)) return { sort_key: null, derived: null, child_id }
  const document = documentOf(json)
  return {
    sort_key: name === undefined ? null : text(document[name]).toLowerCase(),
    derived: derived ? JSON.stringify(derived(document)) : null,
    child_id,
  }
}
