/** Objects of one address space, such as feeds and DNS zones: their references and updates. */
import { invalidField } from '../../contract/errors.ts'
import { type Merged, merge } from '../../contract/merge.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { withSpace } from './fields.ts'
import { filterExistingSpaces, type InSpace } from './keys.ts'
import * as store from './store.ts'

/** @throws AppError VALIDATION_ERROR for a space that does not exist */
export const checkSpace = async (ctx: Ctx, { space_id }: InSpace): Promise<void> => {
  if (space_id && !(await filterExistingSpaces(ctx, [space_id])).has(space_id))
    throw invalidField('space_id', `there is no space with id "${space_id}"`)
}

/** Checks like `checkSpace`, and locks the space until commit, so that it is not deleted concurrently. */
export const lockSpace = async (ctx: Ctx, { space_id }: InSpace): Promise<void> => {
  if (space_id && !(await store.store.lock(ctx, space_id)))
    throw invalidField('space_id', `there is no space with id "${space_id}"`)
}

type Filtered = InSpace & { readonly network_id: string | null }

/** @throws AppError VALIDATION_ERROR for a network that does not exist, or is in another space */
export const checkNetwork = async (ctx: Ctx, { network_id, space_id }: Filtered): Promise<void> => {
  if (network_id === null) return
  const row = await ctx.db.selectFrom('networks').select('space_id').where('id', '=', network_id).executeTakeFirst()
  if (!row) throw invalidField('network_id', `there is no network with id "${network_id}"`)
  if ((row.space_id ?? undefined) !== (space_id ?? undefined))
    throw invalidField('network_id', 'is a network of another address space')
}

type Placed = { readonly space_id?: string | undefined }

/** Merges like `merge`; `null` is the default space. */
export const mergeInSpace = <T extends Placed>(
  before: T,
  patch: { readonly [K in keyof T]?: T[K] | (K extends 'space_id' ? null : never) | undefined },
): Merged<T> => {
  const { space_id, ...fields } = patch
  // The rest of a patch of T. The space is handled apart.
  const { value, changes } = merge<T>(before, fields as { readonly [K in keyof T]?: T[K] | undefined })
  if (space_id === undefined || (space_id ?? undefined) === before.space_id) return { value, changes }
  const { space_id: _, ...rest } = value
  return { value: withSpace(rest, space_id) as unknown as T, changes: [...changes, 'space_id'] }
}
