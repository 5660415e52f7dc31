/** The rules of a tree of objects of one resource: datacenters, and the objects of a nested kind. */
import { invalidField } from '../contract/errors.ts'
import { countLevels, findAbove, MAX_LEVELS } from '../database/query/below.ts'
import type { Tables } from '../database/tables.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { FACTS, type TableOf } from './resources.ts'

type TreeResource = 'datacenters' | 'objects'
type Child = { readonly id: string; readonly parent_id?: string | null | undefined }

/** @throws AppError VALIDATION_ERROR on `parent_id` for an object above itself, or too many levels */
export const checkPlaceInTree = async (ctx: Ctx, resource: TreeResource, { id, parent_id }: Child): Promise<void> => {
  if (!parent_id) return
  const table: TableOf<TreeResource> & keyof Tables = resource
  const above = [parent_id, ...(await findAbove(ctx, { table, id: parent_id }))]
  if (above.includes(id))
    throw invalidField('parent_id', `must not be the ${FACTS[resource].noun} itself, or one below it`)
  if (above.length + (await countLevels(ctx, { table, id })) > MAX_LEVELS)
    throw invalidField('parent_id', `would make more than ${MAX_LEVELS} levels of ${resource}`)
}
