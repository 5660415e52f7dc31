/** The reports that a digest shows. The feature of reports provides them. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'

export type ReportExtract = {
  readonly name: string
  readonly title: string
  readonly count: number
  /** The first findings. */
  readonly findings: readonly { readonly name: string; readonly message: string }[]
}

/** Returns the counts and first findings of reports by name, over the whole estate. */
export type ReportSource = (ctx: Ctx, names: readonly string[]) => Promise<readonly ReportExtract[]>

export type Reports = {
  /** The permissions that the reports need, by name. */
  readonly permissions: ReadonlyMap<string, readonly Permission[]>
  readonly read: ReportSource
}

const READ: Permission = 'reports:read'

/** @throws AppError FORBIDDEN without the permission of one of the reports, everywhere */
export const requireReports = (
  ctx: Pick<Ctx, 'require'>,
  { permissions }: Pick<Reports, 'permissions'>,
  names: readonly string[],
): void => {
  const known = names.filter((name) => permissions.has(name))
  if (known.length > 0) ctx.require(READ)
  for (const name of known) for (const permission of permissions.get(name) ?? []) ctx.require(permission)
}

/** Returns the permissions that the digest of any reports may need. */
export const listReportPermissions = ({ permissions }: Pick<Reports, 'permissions'>): readonly Permission[] =>
  permissions.size === 0 ? [] : [...new Set([READ, ...[...permissions.values()].flat()])]
