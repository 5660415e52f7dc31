/** Streams the trail as a file, in bounded memory for any length. */

import { parseRawQuery } from '../../contract/raw-query.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createRowFile } from '../../surfaces/http/answer/row-file.ts'
import { ExportQuery } from './api.ts'
import { columns } from './chain.ts'
import * as store from './store.ts'

export const exportEntries = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { format, ...filter } = parseRawQuery(ExportQuery, request)
  const rows = ctx.store.stream(store.selectMatching(ctx, filter))
  return createRowFile(request, {
    rows,
    columns: [...columns, 'proposal_id'],
    format,
    name: `audit-${ctx.now.slice(0, 10)}`,
  })
}
