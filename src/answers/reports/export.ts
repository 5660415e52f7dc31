/** Streams the findings of a report as a file, a batch at a time. */
import { Key } from '../../contract/fields/fields.ts'
import { parseRawQuery } from '../../contract/raw-query.ts'
import { mayHoldRefs, resolveRefs } from '../../kernel/changes/resolve-refs.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createRowFile } from '../../surfaces/http/answer/row-file.ts'
import { decodeSegment } from '../../surfaces/http/route-table.ts'
import { ExportQuery, FINDING_FIELDS } from './api.ts'
import { checkPermissions, narrowToReports, type ReportSettings, toParams } from './counts.ts'
import { findFindings } from './findings.ts'
import { getReportOrThrow } from './registry.ts'

/** @example parseName('http://host/api/reports/ghosts/export') // 'ghosts' */
const parseName = (url: string): string => Key.parse(decodeSegment(new URL(url).pathname.split('/')[3] ?? ''))

export const exportFindings = async (given: Ctx, request: Request, settings: ReportSettings): Promise<Response> => {
  const ctx = narrowToReports(given)
  const asked = parseRawQuery(ExportQuery, request)
  const report = getReportOrThrow(parseName(request.url))
  checkPermissions(ctx, report)
  const { format, days, min, ...filters } = mayHoldRefs(ExportQuery, asked)
    ? await resolveRefs(ctx, ExportQuery, asked)
    : asked
  const { read } = await findFindings(ctx, report, { params: toParams(report, settings, { days, min }), filters })
  const name = `${report.name}-${ctx.now.slice(0, 10)}`
  return createRowFile(request, { rows: read(0), columns: FINDING_FIELDS, format, name })
}
