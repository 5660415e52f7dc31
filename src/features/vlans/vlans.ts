/** The rules of VLANs. */
import { AppError, invalidField, orNotFound } from '../../platform/contract/errors.ts'
import { containsText } from '../../platform/db/contains.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import type { EarlierDocuments } from '../../platform/operation/change-record.ts'
import { createLastRead } from '../../platform/operation/last-read.ts'
import { updateRefs, withChangedRefs } from '../../platform/operation/object-refs.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { lockCustom } from '../custom-fields/engine.ts'
import { listWithCustom } from '../custom-fields/row-lists.ts'
import { mergeCustom, rewriteCustom, withCustomOfNew } from '../custom-fields/rows.ts'
import type { Datacenter } from '../datacenters/api.ts'
import { filterExistingDatacenters } from '../datacenters/datacenters.ts'
import { asRestored, type Restored } from '../restore-fields.ts'
import { narrowToListed } from '../scopes/scoped-db.ts'
import { type Vlan, type VlanDraft, type VlanPatch, vlans } from './api.ts'
import * as store from './store.ts'
import { buildVlanScopeKey } from './vlan-scope.ts'

/** For the history, and for the rows of documents and files. */
export const { computeDerived, findDocuments, findIdsByKeys, buildNaturalKey } = store

/** Returns the object of the contract. */
const toVlan = (vlan: store.StoredVlan, networkIds: store.NetworkIds): Vlan => {
  const { refs, managed_by, created_at, updated_at, custom, ...fields } = vlan
  const network_ids = [...(networkIds.get(buildVlanScopeKey(vlan.vlan_id, vlan.datacenter_id)) ?? [])]
  return { ...fields, network_ids, refs, managed_by, created_at, updated_at, ...(custom && { custom }) }
}

const withNetworks = async (ctx: Ctx, vlan: store.StoredVlan): Promise<Vlan> =>
  toVlan(vlan, await store.findNetworkIdsOfOne(ctx, vlan))

const lastNetworks = createLastRead<store.NetworkIds>()

/** Like `withNetworks`, in a write: the networks are noted for the event. */
const withNotedNetworks = async (ctx: Ctx, vlan: store.StoredVlan): Promise<Vlan> => {
  const networkIds = await store.findNetworkIdsOfOne(ctx, vlan)
  lastNetworks.note(ctx, vlan.id, networkIds)
  return toVlan(vlan, networkIds)
}

type LastState = { readonly stored: store.StoredVlan; readonly isGone: boolean }

/** Returns VLANs as their events have them: deleted ones with the networks that they had before the transaction. */
export const toEventData = async (
  ctx: Ctx,
  all: readonly LastState[],
  earlier: EarlierDocuments,
): Promise<readonly Vlan[]> => {
  const [only] = all
  const noted = only && all.length === 1 ? lastNetworks.find(ctx, { ...only.stored, isGone: only.isGone }) : undefined
  if (only && noted) return [toVlan(only.stored, noted)]
  const listNumbers = (gone: boolean) => [
    ...new Set(all.flatMap(({ stored, isGone }) => (isGone === gone ? stored.vlan_id : []))),
  ]
  const [present, former] = [listNumbers(false), listNumbers(true)]
  const networkIds = present.length > 0 ? await store.findNetworkIds(ctx, present) : undefined
  const formerIds = former.length > 0 ? await store.findEarlierNetworks(ctx, former, earlier) : undefined
  return all.map(({ stored, isGone }) => toVlan(stored, (isGone ? formerIds : networkIds) ?? new Map()))
}

const getOrThrow = async (ctx: Ctx, id: string): Promise<Vlan> =>
  withNetworks(ctx, orNotFound(await store.find(ctx, id), 'VLAN', id))

/** Returns a VLAN as its caller sees it. @param vlan with all of its networks */
const toVisibleVlan = async (ctx: Ctx, stored: store.StoredVlan, vlan: Vlan): Promise<Vlan> => {
  const listed = await narrowToListed(ctx, ['networks'])
  return listed === ctx ? vlan : withNetworks(listed, stored)
}

/** `shown` is the VLAN as the caller sees it. */
type Locked = { readonly stored: store.StoredVlan; readonly vlan: Vlan; readonly shown: Vlan }

const lockForChange = async (ctx: Ctx, id: string): Promise<Locked> => {
  const stored = orNotFound(await store.lock(ctx, id), 'VLAN', id)
  const vlan = await withNotedNetworks(ctx, stored)
  const shown = await toVisibleVlan(ctx, stored, vlan)
  ctx.precondition(shown)
  return { stored, vlan, shown }
}

const checkDatacenter = async (ctx: Ctx, id: string | null): Promise<void> => {
  if (id === null) return
  const known = await filterExistingDatacenters(ctx, [id])
  if (!known.has(id)) throw invalidField('datacenter_id', `there is no datacenter with id "${id}"`)
}

const isTaken = async (ctx: Ctx, vlan: store.StoredVlan): Promise<boolean> => {
  const key = buildNaturalKey(vlan)
  const holder = (await findIdsByKeys(ctx, [key])).get(key)
  return holder !== undefined && holder !== vlan.id
}

/** Another VLAN has the number, the datacenter and the group. @throws AppError ALREADY_EXISTS */
const refuseTaken = async (ctx: Ctx, vlan: store.StoredVlan): Promise<void> => {
  if (!(await isTaken(ctx, vlan))) return
  const { vlan_id, group, datacenter_id } = vlan
  const of = group === '' ? 'without a group' : `of the group "${group}"`
  const where = datacenter_id === null ? 'without a datacenter' : 'in this datacenter'
  throw new AppError('ALREADY_EXISTS', `A VLAN ${vlan_id} ${of} exists already ${where}`)
}

export const create = async (ctx: Ctx, input: VlanDraft & Restored): Promise<Vlan> => {
  const id = input.id ?? Bun.randomUUIDv7()
  await lockCustom(ctx, 'vlans')
  await checkDatacenter(ctx, input.datacenter_id)
  if (input.id !== undefined && (await store.find(ctx, id)))
    throw new AppError('ALREADY_EXISTS', `A VLAN with id "${id}" exists already`)
  const { vlan_id, name, datacenter_id, group, description, managed_by, created_at = ctx.now } = input
  const refs = updateRefs({}, input.refs)
  // First: of several creates by one ref, the later ones become updates.
  await store.claimRefs(ctx, refs)
  const times = { created_at, updated_at: ctx.now }
  const bare: store.StoredVlan = { id, vlan_id, name, datacenter_id, group, description, refs, managed_by, ...times }
  await refuseTaken(ctx, bare)
  const stored = await withCustomOfNew(ctx, 'vlans', { object: bare, given: input.custom, ...asRestored(input) })
  await store.insert(ctx, stored)
  return toVisibleVlan(ctx, stored, await withNotedNetworks(ctx, stored))
}

export const update = async (ctx: Ctx, { id, ...patch }: VlanPatch): Promise<Vlan> => {
  await lockCustom(ctx, 'vlans')
  const { stored: before, shown: unchanged } = await lockForChange(ctx, id)
  const merged = { before, patch: withChangedRefs(before, patch) }
  const { value, changes } = await mergeCustom(ctx, 'vlans', merged)
  if (changes.length === 0) return unchanged
  if (changes.includes('datacenter_id')) await checkDatacenter(ctx, value.datacenter_id)
  const stored = { ...value, updated_at: ctx.now }
  await refuseTaken(ctx, stored)
  await store.updateRow(ctx, before, stored)
  return toVisibleVlan(ctx, stored, await withNotedNetworks(ctx, stored))
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockCustom(ctx, 'vlans')
  const { stored, vlan } = await lockForChange(ctx, id)
  await store.deleteRow(ctx, stored)
  await ctx.emit('vlan.deleted', vlan)
}

const MAX_GROUP = 255

/** Shortens a text without cutting a surrogate pair. */
const limitText = (text: string, max: number): string =>
  text
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()

/** The groups that a VLAN may get without its datacenter: its own first, then groups that name the datacenter. */
function* generateGroups({ name }: Datacenter, group: string): Generator<string> {
  yield group
  const named = group === '' ? name : `${group} (${name})`
  yield limitText(named, MAX_GROUP)
  for (let n = 2; ; n++) yield `${limitText(named, MAX_GROUP - ` ${n}`.length)} ${n}`
}

/** Returns the VLAN without its datacenter. Where another VLAN is equal to it then, its group names the datacenter. */
const withoutDatacenter = async (
  ctx: Ctx,
  datacenter: Datacenter,
  before: store.StoredVlan,
): Promise<store.StoredVlan> => {
  for (const group of generateGroups(datacenter, before.group)) {
    const vlan = { ...before, datacenter_id: null, group, updated_at: ctx.now }
    if (!(await isTaken(ctx, vlan))) return vlan
  }
  throw new Error('the groups of a VLAN do not end')
}

const leaveDatacenter = async (ctx: Ctx, datacenter: Datacenter): Promise<void> => {
  for (const before of await store.lockOfDatacenter(ctx, datacenter.id))
    await store.updateRow(ctx, before, await withoutDatacenter(ctx, datacenter, before))
}

/** The columns of the field by which only VLANs are sorted. */
const ORDERS = { vlan_id: ['vlan_id', 'name_key', 'id'] }

export const feature: Feature = {
  operations: implement(vlans, {
    list: async (ctx, { vlan_id, name, datacenter_id, group, managed_by, custom, sort, ...page }) => {
      let query = store.query(ctx)
      if (vlan_id !== undefined) query = query.where('vlan_id', '=', vlan_id)
      if (name) query = query.where(containsText('name_key', name))
      if (datacenter_id) query = query.where('datacenter_id', '=', datacenter_id)
      if (group) query = query.where('group_key', '=', group.trim().toLowerCase())
      if (managed_by) query = query.where(isManagedBy(managed_by))
      let networkIds: Promise<store.NetworkIds> | undefined
      // Other filters and orders have other pages than the query.
      const shown = custom === undefined && sort === undefined ? page : {}
      return listWithCustom(ctx, {
        resource: 'vlans',
        query,
        tables: ['vlans', 'networks'],
        wanted: { custom, sort },
        page,
        orders: ORDERS,
        row: async (row): Promise<Vlan> => {
          networkIds ??= store.findNetworkIds(ctx, { query, page: shown })
          return toVlan(store.fromRow(row), await networkIds)
        },
      })
    },
    create,
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
  reactions: {
    'datacenter.deleting': leaveDatacenter,
    ...rewriteCustom('vlans', { lock: store.lockAll, update: store.updateRow, rename: store.renameCustom }),
  },
}
