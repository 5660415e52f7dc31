/** Streams the trail as a file, in bounded memory for any length. */

import { parseRawQuery } from '../../contract/raw-query.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { compressSource, selectCoding } from '../../surfaces/http/answer/compression.ts'
import { formatCsvLine } from '../../surfaces/http/answer/csv.ts'
import { createLongResponse } from '../../surfaces/http/answer/respond.ts'
import { type AuditEntry, ExportQuery } from './api.ts'
import { columns } from './chain.ts'
import * as store from './store.ts'

type Rows = AsyncIterable<readonly AuditEntry[]>

async function* formatJson(rows: Rows): AsyncGenerator<string> {
  let opening = '[\n'
  for await (const chunk of rows) {
    if (chunk.length === 0) continue
    yield opening + chunk.map((entry) => JSON.stringify(entry)).join(',\n')
    opening = ',\n'
  }
  yield opening === '[\n' ? '[]\n' : '\n]\n'
}

async function* formatCsv(rows: Rows): AsyncGenerator<string> {
  yield formatCsvLine(columns)
  for await (const chunk of rows)
    yield chunk.map((entry) => formatCsvLine(columns.map((column) => entry[column]))).join('')
}

async function* encodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) if (text !== '') yield encoder.encode(text)
}

const FORMATS = {
  json: { write: formatJson, type: 'application/json' },
  csv: { write: formatCsv, type: 'text/csv; charset=utf-8' },
} as const

export const exportEntries = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { format, ...filter } = parseRawQuery(ExportQuery, request)
  const { write, type } = FORMATS[format]
  const bytes = encodeTexts(write(ctx.store.stream(store.selectMatching(ctx, filter))))
  const coding = selectCoding(request.headers.get('accept-encoding'))
  const name = `audit-${ctx.now.slice(0, 10)}.${format}`
  return createLongResponse(
    { source: coding ? compressSource(coding, bytes) : bytes },
    {
      headers: {
        'Content-Type': type,
        'Content-Disposition': `attachment; filename="${name}"`,
        'Cache-Control': 'no-store',
        Vary: 'Accept-Encoding',
        ...(coding && { 'Content-Encoding': coding }),
      },
    },
  )
}
