/** The rules of impact: the devices that stop working when others go away. */

import { orNotFound } from '../../contract/errors.ts'
import type { ImpactCounts } from '../../contract/impact-summary.ts'
import { RelationshipType } from '../../inventory/relationships/api.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import type { JsonText } from '../../kernel/handler-result.ts'
import { buildImpact, countImpact, type Named } from './answer.ts'
import { type Impact, impact } from './api.ts'
import type { Types } from './graph.ts'
import { loadGraph } from './load-graph.ts'
import { findNamed, type Names, requireNamed } from './named.ts'
import { findSinglePoints } from './single-points.ts'
import { filterExisting, findDevices } from './store.ts'

type How = { readonly types?: readonly RelationshipType[] | undefined; readonly depth?: number | undefined }

const toTypes = (types: How['types']): Types => new Set(types ?? RelationshipType.options)

const show = async (ctx: Ctx, named: Named, { types, depth }: How): Promise<JsonText<Impact>> =>
  buildImpact(ctx, {
    ...named,
    graph: await loadGraph(ctx),
    types: toTypes(types),
    limit: depth ?? Number.POSITIVE_INFINITY,
  })

const showNamed = async (ctx: Ctx, names: Names, how: How): Promise<JsonText<Impact>> =>
  show(ctx, await findNamed(ctx, names), how)

/** Counts the devices that follow the named objects, by all types of relationships. */
export const countNamedImpact = async (ctx: Ctx, names: Names): Promise<ImpactCounts> =>
  countImpact(ctx, { ...(await findNamed(ctx, names)), graph: await loadGraph(ctx), types: toTypes(undefined) })

/** Checks the object of the path. The caller need not have the permission to list it. */
const requireObject = async (ctx: Ctx, table: 'datacenters' | 'networks', id: string): Promise<void> => {
  const known = await filterExisting(ctx.unscoped, table, [id])
  orNotFound(known.has(id) || undefined, table === 'networks' ? 'network' : 'datacenter', id)
}

export const feature: Feature = {
  operations: implement(impact, {
    ofDevice: async (ctx, { id, ...how }) => {
      const [known] = await findDevices(ctx.unscoped, [id])
      const device = orNotFound(known, 'device', id)
      const [visible] = await findDevices(ctx, [id])
      // The name of a hidden device is empty.
      return show(ctx, { failed: [visible ?? { ...device, name: '' }], cutOff: [], degraded: [] }, how)
    },
    ofDatacenter: async (ctx, { id, ...how }) => {
      await requireObject(ctx, 'datacenters', id)
      return showNamed(ctx, { datacenter_ids: [id] }, how)
    },
    ofNetwork: async (ctx, { id, ...how }) => {
      await requireObject(ctx, 'networks', id)
      return showNamed(ctx, { network_ids: [id] }, how)
    },
    preview: async (ctx, { types, depth, ...names }) => {
      await requireNamed(ctx, names)
      return showNamed(ctx, names, { types, depth })
    },
    singlePoints: (ctx, { types, limit }) => findSinglePoints(ctx, { types: toTypes(types), limit }),
  }),
}
