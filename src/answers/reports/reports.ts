/** Reports: lists of objects that need attention. Reads the tables of other features, and owns none. */
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import { listValues } from '../../kernel/list.ts'
import type { ParsedInputOf, Permission } from '../../kernel/operation.ts'
import type { ReportExtract, ReportSource } from '../../record/notifications/reports.ts'
import { type Finding, reportRoutes, reports } from './api.ts'
import { checkPermissions, listReports, narrowToReports, type ReportSettings, toParams } from './counts.ts'
import { exportFindings } from './export.ts'
import { findFindings } from './findings.ts'
import { getReportOrThrow, REPORTS } from './registry.ts'
import type { Report } from './report.ts'

/** Returns the revision of a report with all that decides about it; undefined for one that changes with time. */
const readRevision = async (ctx: Ctx, { tables }: Report): Promise<string | undefined> =>
  // The revision of the context tells parts of the estate from each other.
  tables && `${await ctx.unscoped.store.revision(tables)} ${await ctx.store.revision([])}`

const show = async (
  given: Ctx,
  { name, days, min, limit, offset = 0, ...filters }: ParsedInputOf<typeof reports.show>,
  settings: ReportSettings,
): Promise<JsonList<Finding>> => {
  const ctx = narrowToReports(given)
  const report = getReportOrThrow(name)
  checkPermissions(ctx, report)
  const revision = await readRevision(ctx, report)
  const params = toParams(report, settings, { days, min })
  let found: ReturnType<typeof findFindings> | undefined
  const find = () => (found ??= findFindings(ctx, report, { params, filters }))
  async function* rows(): AsyncGenerator<string[]> {
    const { read } = await find()
    for await (const some of read(offset, limit === undefined ? undefined : offset + limit))
      yield some.map((finding) => JSON.stringify(finding))
  }
  return new JsonList<Finding>({ revision, total: async () => (await find()).count, rows })
}

export const reportsFeature = ({ config: settings }: { readonly config: ReportSettings }): Feature => ({
  operations: implement(reports, {
    list: async (ctx, page) => listValues(await listReports(ctx, settings), page),
    show: (ctx, input) => show(ctx, input, settings),
  }),
  routes: [{ route: reportRoutes.export, handler: (ctx, request) => exportFindings(ctx, request, settings) }],
})

/** The number of findings of an extract. */
const FIRST = 5

/** Returns the permissions that each report needs beside `reports:read`, by its name. */
export const mapReportPermissions = (): ReadonlyMap<string, readonly Permission[]> =>
  new Map(REPORTS.map(({ name, permissions }) => [name, permissions]))

/**
 * Returns the function by which another feature reads reports of the whole estate: their counts of this moment, and their first
 * findings. A name that is no report is left out.
 */
export const createReportSource =
  (settings: ReportSettings): ReportSource =>
  async (ctx, names) => {
    const extracts: ReportExtract[] = []
    for (const report of REPORTS) {
      if (!names.includes(report.name)) continue
      const { count, read } = await findFindings(ctx, report, { params: toParams(report, settings), filters: {} })
      const findings: Finding[] = []
      for await (const some of read(0, FIRST)) findings.push(...some)
      extracts.push({ name: report.name, title: report.title, count, findings })
    }
    return extracts
  }
