/** Revisions of answers that depend on the part of the estate that a caller sees. */
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** The tables by which a caller sees a proposal and its items. */
export const SIGHT_TABLES = [
  ...(['proposals', 'proposal_effects', 'proposal_entries', 'changes', 'history_extent', 'scopes'] as const),
] satisfies readonly (keyof Tables)[]

/** Returns a key of the caller's sight. */
export const formatSightKey = ({ caller: { userId = '', permissions, scopedPermissions } }: Ctx): string => {
  const parts = [...(scopedPermissions ?? [])].map(([name, { cacheKey }]) => `${name} ${cacheKey}`)
  return Bun.hash([userId, ...[...permissions].sort(), ...parts.sort()].join()).toString(36)
}
