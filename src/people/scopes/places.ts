/** The datacenters below the datacenters of scopes, which are in these scopes too, and the areas after a change of that tree. */

import { AppError } from '../../contract/errors.ts'
import { findDatacentersBelow } from '../../inventory/datacenters/datacenters.ts'
import type { DatacenterMoved } from '../../inventory/datacenters/events.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { findHeirs, findInDatacenters, findSet, updateAreas } from './area-store.ts'
import type { ScopeFacts, ScopesOf } from './areas.ts'

/** The datacenter above a datacenter, by its id; null without one. */
export type Parents = ReadonlyMap<string, string | null>

const NO_PARENTS: Parents = new Map()

/**
 * Returns scopes with all datacenters that are in them: the named ones, and those below.
 * @param parents replaces the stored ones, for another state of the tree
 */
export const withDatacentersBelow = async <S extends Pick<ScopeFacts, 'datacenter_ids'>>(
  { db }: DbScope,
  scopes: readonly S[],
  parents = NO_PARENTS,
): Promise<readonly S[]> => {
  if (scopes.every(({ datacenter_ids }) => datacenter_ids.length === 0)) return scopes
  const stored = await db
    .selectFrom('datacenters')
    .select(['id', 'parent_id'])
    .where('parent_id', 'is not', null)
    .execute()
  const replaced = [...parents].flatMap(([id, parent_id]) => (parent_id === null ? [] : [{ id, parent_id }]))
  const tree = [...stored.filter(({ id }) => !parents.has(id)), ...replaced]
  if (tree.length === 0) return scopes
  const children = Map.groupBy(tree, ({ parent_id }) => parent_id)
  return scopes.map((scope) => {
    // The set grows while it is read.
    const found = new Set(scope.datacenter_ids)
    for (const id of found) for (const child of children.get(id) ?? []) found.add(child.id)
    return { ...scope, datacenter_ids: [...found] }
  })
}

/**
 * A caller with rights in some scopes might reach the objects of a datacenter by moving it there.
 * @throws AppError FORBIDDEN if the datacenter comes into a scope
 */
export const refuseGain = async (ctx: Ctx, id: string, setOf: ScopesOf): Promise<void> => {
  const { permissions, scopedPermissions } = ctx.caller
  if (!scopedPermissions?.size || (permissions.has('scopes:update') && !scopedPermissions.has('scopes:update'))) return
  const before = new Set(await findSet(ctx, 'datacenters', id))
  if (setOf({ datacenter_id: id }).every((scope) => before.has(scope))) return
  const message = 'would bring the datacenter into a scope that it is not in'
  throw new AppError('FORBIDDEN', 'Only a caller with the permission scopes:update everywhere may move it there', {
    details: [{ field: 'parent_id', message }],
  })
}

/** Stores the areas of a datacenter, of those below it, and of all objects in them. */
export const updateAreasBelow = async (ctx: Ctx, { after }: DatacenterMoved, setOf: ScopesOf): Promise<void> => {
  if (!after) return
  const ids = await findDatacentersBelow(ctx, after.id)
  await updateAreas(ctx, 'datacenters', ids, setOf)
  const networks = await findInDatacenters(ctx, 'networks', ids)
  await updateAreas(ctx, 'networks', networks, setOf)
  const pools = await findHeirs(ctx, 'pools', networks)
  await updateAreas(ctx, 'pools', pools, setOf)
  await updateAreas(ctx, 'reservations', await findHeirs(ctx, 'reservations', pools), setOf)
  await updateAreas(ctx, 'devices', await findInDatacenters(ctx, 'devices', ids), setOf)
  await updateAreas(ctx, 'objects', await findInDatacenters(ctx, 'objects', ids), setOf)
  await updateAreas(ctx, 'discovered_devices', await findHeirs(ctx, 'discovered_devices', networks), setOf)
}
