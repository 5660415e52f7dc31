/** Counts the findings of reports, once in ten seconds for all callers who may list the same objects. */
import type { Config } from '../../base/config/config.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { checkAccess, limitOfAnswer } from '../../kernel/rights/access.ts'
import { narrowToAnswer } from '../../resource/scoped/scoped-db.ts'
import { type Parameter, type ReportCount, type ReportSummary, reports } from './api.ts'
import { countFindings } from './findings.ts'
import { REPORTS } from './registry.ts'
import type { Params, Report } from './report.ts'

/** The oldest count that is sent. */
const MAX_AGE_MS = 10_000

export type ReportSettings = Pick<Config, 'poolUtilizationThresholdPercent'>

type Given = { readonly [Name in Exclude<Parameter, 'network_id' | 'datacenter_id'>]?: number | undefined }

/** Returns the parameters of a report, by its defaults where they are absent. */
export const toParams = ({ days: usual }: Report, settings: ReportSettings, { days, min }: Given = {}): Params => ({
  days: days ?? usual ?? 0,
  min: min ?? settings.poolUtilizationThresholdPercent,
})

/** True if the caller may list the objects of the report, in a scope at least. */
export const isPermitted = ({ caller }: Ctx, { permissions }: Report): boolean =>
  permissions.every((permission) => caller.permissions.has(permission))

/** The resources of the objects that findings name. */
const SHOWN = ['devices', 'discovery', 'networks', 'pools', 'reservations', 'datacenters'] as const

/** Returns the context over the objects that the caller may list, where the caller may also read reports. */
export const narrowToReports = (ctx: Ctx): Ctx => {
  const { access, scope } = reports.list
  return narrowToAnswer(ctx, limitOfAnswer({ access, scope: scope ?? 'filterEach', shows: SHOWN }, ctx.unscoped.caller))
}

/** @throws AppError FORBIDDEN for a caller who may not list the objects of the report */
export const checkPermissions = ({ caller }: Ctx, { permissions }: Report): void => {
  for (const permission of permissions) checkAccess(permission, caller)
}

type Count = { readonly madeMs: number; readonly revision: string | undefined; readonly count: Promise<number> }

/** Approximate size of a cached count, in bytes. */
const COUNT_BYTES = 200

/** Returns the number of findings: at most ten seconds old, or of tables that have not changed since. */
const getCount = async (ctx: Ctx, report: Report, settings: ReportSettings): Promise<number> => {
  // The cache of a context is that of the objects that its caller may list.
  const counts = ctx.store.cache.at<Count>('counts of reports', '')
  const nowMs = Date.parse(ctx.now)
  const revision = report.tables && (await ctx.unscoped.store.revision(report.tables))
  const known = counts.get(report.name)
  const isFresh = known && nowMs >= known.madeMs && nowMs < known.madeMs + MAX_AGE_MS
  if (known && (isFresh || (revision !== undefined && revision === known.revision))) return known.count
  const count = countFindings(ctx, report, toParams(report, settings))
  const made: Count = { madeMs: nowMs, revision, count }
  counts.set(report.name, made, COUNT_BYTES)
  // A failure is no count.
  count.catch(() => counts.get(report.name) === made && counts.delete(report.name))
  return count
}

/** Returns the reports that the caller may see, with their counts. */
export const listReports = async (given: Ctx, settings: ReportSettings): Promise<ReportSummary[]> => {
  const ctx = narrowToReports(given)
  const listed: ReportSummary[] = []
  // One after the other: together they would hold up others.
  for (const report of REPORTS) {
    if (!isPermitted(ctx, report)) continue
    const { name, title, description, days, uses } = report
    const count = await getCount(ctx, report, settings)
    listed.push({ name, title, description, count, days, uses: [...uses] })
  }
  return listed
}

/** Returns the counts of all reports over the whole estate. */
export const countAllReports = async (ctx: Ctx, settings: ReportSettings): Promise<ReportCount[]> => {
  const counts: ReportCount[] = []
  for (const report of REPORTS)
    counts.push({ name: report.name, title: report.title, count: await getCount(ctx.unscoped, report, settings) })
  return counts
}

/** Returns the counts for the first page; null for a caller who may not read reports. */
export const countReports = async (ctx: Ctx, settings: ReportSettings): Promise<ReportCount[] | null> => {
  const { permissions, scopedPermissions } = ctx.unscoped.caller
  if (!permissions.has('reports:read') && !scopedPermissions?.has('reports:read')) return null
  return (await listReports(ctx, settings)).map(({ name, title, count }) => ({ name, title, count }))
}
