/** The rules of racks. */
import { invalidField, notFound } from '../../contract/errors.ts'
import { Key } from '../../contract/fields/fields.ts'
import { parseRawQuery } from '../../contract/raw-query.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import type { ListInput } from '../../resource/list.ts'
import { resourceRules } from '../../resource/rules.ts'
import { decodeSegment } from '../../surfaces/http/route-table.ts'
import { type ListedRack, type Rack, rackRoutes, racks } from './api.ts'
import { buildElevation, renderElevation } from './elevation.ts'
import type { RackMoved } from './events.ts'
import { computeUsage, isInside, toRackPlace } from './placement.ts'
import type { rackFacts } from './resource.ts'
import { findAllMounted, findMountedIn, lockPositions, type MountedIn, store } from './store.ts'

/** Returns the existing racks of these ids, by id. */
export const findRacks = store.findAll

/** @throws AppError VALIDATION_ERROR if a device would be outside */
const checkUnits = async (ctx: Ctx, before: Rack, rack: Rack): Promise<void> => {
  for (const { name, mount } of await findMountedIn(ctx, [rack.id])) {
    const position = toRackPlace(mount)
    if (!position || isInside(position, rack)) continue
    const isOfHeight = isInside(position, { ...rack, height: before.height })
    const device = ctx.canListAll('devices') ? `the device "${name}"` : 'a device'
    throw invalidField(isOfHeight ? 'height' : 'first_unit', `would leave ${device} outside of the rack`)
  }
}

/** Returns the function that adds the use of a rack, with one query for all of them. */
const createUsageAdder = (ctx: Ctx) => {
  let mounts: Promise<Map<string, MountedIn[]>> | undefined
  const load = async () => Map.groupBy(await findAllMounted(ctx), ({ mount }) => mount.rack_id)
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

const hasUsage = ({ include }: ListInput): boolean => Array.isArray(include) && include.includes('usage')

const rules = resourceRules<typeof rackFacts, Rack>(store, {
  lock: async (ctx, verb, id) => {
    if (verb !== 'create') await lockPositions(ctx, [id])
  },
  check: async (ctx, { before, after, changes }) => {
    if (before && after && (changes.includes('height') || changes.includes('first_unit')))
      await checkUnits(ctx, before, after)
  },
  follow: async (ctx, { before, after, changes }) => {
    if (!before || !after || !changes.includes('datacenter_id')) return
    const { id, datacenter_id } = after
    // A rack without a datacenter may hold devices of any.
    if (datacenter_id === null) return
    const moved: RackMoved = { id, datacenter_id }
    await ctx.emit('rack.moved', moved)
  },
  listed: {
    tables: (input) => (hasUsage(input) ? ['devices'] : []),
    createRow: (ctx, input) => {
      const withUsage = createUsageAdder(ctx)
      return (row) => (hasUsage(input) ? withUsage(store.fromRow(row)) : store.fromRow(row))
    },
  },
})

/** @example parseRackId('http://host/api/racks/r-1/elevation.svg') // 'r-1' */
const parseRackId = (url: string): string => Key.parse(decodeSegment(new URL(url).pathname.split('/')[3] ?? ''))

const svg = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { face = 'front' } = parseRawQuery(rackRoutes.svg.query, request)
  const id = parseRackId(request.url)
  const rack = await store.find(ctx, id)
  if (!rack) throw notFound('rack', id)
  const image = renderElevation(buildElevation(rack, await findMountedIn(ctx, [id])), face)
  const headers = { 'Content-Type': 'image/svg+xml; charset=utf-8', 'Cache-Control': 'no-cache' }
  return new Response(image, { headers })
}

export const feature: Feature = {
  operations: implement(racks, {
    ...rules.handlers,
    elevation: async (ctx, { id }) => buildElevation(await rules.getOrThrow(ctx, id), await findMountedIn(ctx, [id])),
  }),
  routes: [{ route: rackRoutes.svg, handler: svg }],
  reactions: rules.reactions,
}
