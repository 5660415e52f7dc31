/** The rules of racks. */
import { AppError, invalidField, notFound, orNotFound } from '../../platform/contract/errors.ts'
import { Key } from '../../platform/contract/fields.ts'
import { parseRawQuery } from '../../platform/contract/raw-query.ts'
import { containsText } from '../../platform/db/contains.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import { decodeSegment } from '../../platform/http/route-table.ts'
import { updateRefs, withChangedRefs } from '../../platform/operation/object-refs.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { listWithCustom } from '../custom-fields/row-lists.ts'
import { mergeCustom, rewriteCustom, withCustomOfNew } from '../custom-fields/rows.ts'
import type { Datacenter } from '../datacenters/api.ts'
import { filterExistingDatacenters } from '../datacenters/datacenters.ts'
import { asRestored, type Restored } from '../restore-fields.ts'
import { type ListedRack, type Rack, type RackDraft, type RackPatch, rackRoutes, racks } from './api.ts'
import { buildElevation, renderElevation } from './elevation.ts'
import { computeUsage, isInside, toRackPlace } from './placement.ts'
import * as store from './store.ts'

export const { findRacks, filterExistingIds: filterExistingRacks, lockPositions, findMountedIn } = store
const { matchDatacenter } = store

/** Emitted before the devices of a rack follow it to another datacenter. */
export const RACK_MOVED = 'rack.moved'

export type RackMoved = { readonly id: string; readonly datacenter_id: string }

const getOrThrow = async (ctx: Ctx, id: string): Promise<Rack> => orNotFound(await store.find(ctx, id), 'rack', id)

const lockForChange = async (ctx: Ctx, id: string): Promise<Rack> => {
  await store.lockCustom(ctx)
  await store.lockPositions(ctx, [id])
  const rack = orNotFound(await store.lock(ctx, id), 'rack', id)
  ctx.precondition(rack)
  return rack
}

const checkDatacenter = async (ctx: Ctx, id: string | null): Promise<void> => {
  if (id === null) return
  const known = await filterExistingDatacenters(ctx, [id])
  if (!known.has(id)) throw invalidField('datacenter_id', `there is no datacenter with id "${id}"`)
}

export const create = async (ctx: Ctx, input: RackDraft & Restored): Promise<Rack> => {
  const { id = Bun.randomUUIDv7(), created_at = ctx.now, ...fields } = input
  await store.lockCustom(ctx)
  await checkDatacenter(ctx, input.datacenter_id)
  if (input.id !== undefined && (await store.find(ctx, id)))
    throw new AppError('ALREADY_EXISTS', `A rack with id "${id}" exists already`)
  const { name, datacenter_id, location, description, height, first_unit, numbering, max_power_w, managed_by } = fields
  const refs = updateRefs({}, input.refs)
  // First: of several creates by one ref, the later ones become updates.
  await store.claimRefs(ctx, refs)
  const units = { height, first_unit, numbering, max_power_w }
  const times = { created_at, updated_at: ctx.now }
  const bare: Rack = { id, name, datacenter_id, location, description, ...units, refs, managed_by, ...times }
  const rack = await withCustomOfNew(ctx, 'racks', { object: bare, given: input.custom, ...asRestored(input) })
  await store.insert(ctx, rack)
  return rack
}

/** @throws AppError VALIDATION_ERROR if a device would be outside */
const checkUnits = async (ctx: Ctx, before: Rack, rack: Rack): Promise<void> => {
  for (const { name, mount } of await store.findMountedIn(ctx, [rack.id])) {
    const position = toRackPlace(mount)
    if (!position || isInside(position, rack)) continue
    const isOfHeight = isInside(position, { ...rack, height: before.height })
    const device = ctx.canListAll('devices') ? `the device "${name}"` : 'a device'
    throw invalidField(isOfHeight ? 'height' : 'first_unit', `would leave ${device} outside of the rack`)
  }
}

export const update = async (ctx: Ctx, { id, ...patch }: RackPatch): Promise<Rack> => {
  const before = await lockForChange(ctx, id)
  const merged = { before, patch: withChangedRefs(before, patch) }
  const { value, changes } = await mergeCustom(ctx, 'racks', merged)
  if (changes.length === 0) return before
  if (changes.includes('datacenter_id')) await checkDatacenter(ctx, value.datacenter_id)
  const rack = { ...value, updated_at: ctx.now }
  if (changes.includes('height') || changes.includes('first_unit')) await checkUnits(ctx, before, rack)
  await store.update(ctx, before, rack)
  const { datacenter_id } = rack
  // A rack without a datacenter may hold devices of any.
  if (changes.includes('datacenter_id') && datacenter_id !== null) {
    const moved: RackMoved = { id, datacenter_id }
    await ctx.emit(RACK_MOVED, moved)
  }
  return rack
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const rack = await lockForChange(ctx, id)
  await ctx.emit('rack.deleting', rack)
  await store.remove(ctx, rack)
  await ctx.emit('rack.deleted', rack)
}

/** The racks of a datacenter that is deleted stay, as its devices do. */
const leaveDatacenter = async (ctx: Ctx, { id }: Datacenter): Promise<void> => {
  for (const before of await store.lockOfDatacenter(ctx, id)) {
    const rack = { ...before, datacenter_id: null, updated_at: ctx.now }
    await store.update(ctx, before, rack)
  }
}

/** @example parseRackId('http://host/api/racks/r-1/elevation.svg') // 'r-1' */
const parseRackId = (url: string): string => Key.parse(decodeSegment(new URL(url).pathname.split('/')[3] ?? ''))

const svg = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { face = 'front' } = parseRawQuery(rackRoutes.svg.query, request)
  const id = parseRackId(request.url)
  const rack = await store.find(ctx, id)
  if (!rack) throw notFound('rack', id)
  const image = renderElevation(buildElevation(rack, await store.findMountedIn(ctx, [id])), face)
  const headers = { 'Content-Type': 'image/svg+xml; charset=utf-8', 'Cache-Control': 'no-cache' }
  return new Response(image, { headers })
}

/** Returns the function that adds the use of a rack, with one query for all of them. */
const createUsageAdder = (ctx: Ctx) => {
  let mounts: Promise<Map<string, store.MountedIn[]>> | undefined
  const load = async () => Map.groupBy(await store.findAllMounted(ctx), ({ mount }) => mount.rack_id)
  return async (rack: Rack): Promise<ListedRack> => {
    mounts ??= load()
    const devices = (await mounts).get(rack.id) ?? []
    return {
      ...rack,
      usage: computeUsage(
        rack,
        devices.map(({ mount }) => mount),
      ),
    }
  }
}

export const feature: Feature = {
  operations: implement(racks, {
    list: async (ctx, { name, datacenter_id, managed_by, include, custom, sort, ...page }) => {
      const hasUsage = include?.includes('usage') ?? false
      const tables = hasUsage ? (['racks', 'devices'] as const) : (['racks'] as const)
      let query = store.query(ctx)
      if (name) query = query.where(containsText('name_key', name))
      if (datacenter_id) query = query.where(matchDatacenter(datacenter_id))
      if (managed_by) query = query.where(isManagedBy(managed_by))
      const withUsage = createUsageAdder(ctx)
      const row = async (stored: Parameters<typeof store.objectOf>[0]): Promise<ListedRack> => {
        const rack = store.objectOf(stored)
        return hasUsage ? withUsage(rack) : rack
      }
      return listWithCustom(ctx, { resource: 'racks', query, tables, wanted: { custom, sort }, page, row })
    },
    create,
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    elevation: async (ctx, { id }) => buildElevation(await getOrThrow(ctx, id), await store.findMountedIn(ctx, [id])),
  }),
  routes: [{ route: rackRoutes.svg, handler: svg }],
  reactions: {
    'datacenter.deleting': leaveDatacenter,
    ...rewriteCustom('racks', { lock: store.lockAll, update: store.update, rename: store.renameCustom }),
  },
}
