/** The groups that the mappings of a provider name. */
import type { FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findGroup, requireRolesHeld } from '../groups/groups.ts'
import type { GroupMapping } from './schema.ts'

/** Returns the issues of mappings to groups that do not exist. */
export const checkMappings = async (ctx: Ctx, mappings: readonly GroupMapping[]): Promise<FieldIssue[]> => {
  const issues: FieldIssue[] = []
  for (const [i, { group_id }] of mappings.entries())
    if (!(await findGroup(ctx, group_id)))
      issues.push({ field: `group_mappings[${i}].group_id`, message: `there is no group with id "${group_id}"` })
  return issues
}

/** @throws AppError FORBIDDEN unless the caller holds all that is granted to the groups */
export const requireGroupsHeld = async (ctx: Ctx, mappings: readonly GroupMapping[]): Promise<void> => {
  for (const id of new Set(mappings.map(({ group_id }) => group_id))) {
    const group = await findGroup(ctx, id)
    if (group) await requireRolesHeld(ctx, group)
  }
}
