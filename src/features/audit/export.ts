/** Streams the trail as a file, in bounded memory for any length. */

import { rawQuery } from '../../platform/contract/raw-query.ts'
import { acceptedCoding, compressedSource } from '../../platform/http/compression.ts'
import { csvLine } from '../../platform/http/csv.ts'
import { longResponse } from '../../platform/http/respond.ts'
import type { Ctx } from '../ctx.ts'
import { type AuditEntry, ExportQuery } from './api.ts'
import { columns } from './chain.ts'
import * as store from './store.ts'

type Rows = AsyncIterable<readonly AuditEntry[]>

async function* jsonOf(rows: Rows): AsyncGenerator<string> {
  let opening = '[\n'
  for await (const chunk of rows) {
    if (chunk.length === 0) continue
    yield opening + chunk.map((entry) => JSON.stringify(entry)).join(',\n')
    opening = ',\n'
  }
  yield opening === '[\n' ? '[]\n' : '\n]\n'
}

async function* csvOf(rows: Rows): AsyncGenerator<string> {
  yield csvLine(columns)
  for await (const chunk of rows) yield chunk.map((entry) => csvLine(columns.map((column) => entry[column]))).join('')
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) if (text !== '') yield encoder.encode(text)
}

const FORMATS = {
  json: { write: jsonOf, type: 'application/json' },
  csv: { write: csvOf, type: 'text/csv; charset=utf-8' },
} as const

export const exportEntries = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { format, ...filter } = rawQuery(ExportQuery, request)
  const { write, type } = FORMATS[format]
  const bytes = encoded(write(ctx.store.stream(store.matching(ctx, filter))))
  const coding = acceptedCoding(request.headers.get('accept-encoding'))
  const name = `audit-${ctx.now.slice(0, 10)}.${format}`
  return longResponse(
    { source: coding ? compressedSource(coding, bytes) : bytes },
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
