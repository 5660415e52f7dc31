/** Sends rows as a file, JSON or CSV, in bounded memory for any number of them. */
import { compressSource, selectCoding } from './compression.ts'
import { formatCsvLine } from './csv.ts'
import { createLongResponse } from './respond.ts'

type Rows<Row> = AsyncIterable<readonly Row[]>

async function* formatJson<Row>(rows: Rows<Row>): AsyncGenerator<string> {
  let opening = '[\n'
  for await (const chunk of rows) {
    if (chunk.length === 0) continue
    yield opening + chunk.map((row) => JSON.stringify(row)).join(',\n')
    opening = ',\n'
  }
  yield opening === '[\n' ? '[]\n' : '\n]\n'
}

async function* formatCsv<Row>(rows: Rows<Row>, columns: readonly (keyof Row & string)[]): AsyncGenerator<string> {
  yield formatCsvLine(columns)
  for await (const chunk of rows) yield chunk.map((row) => formatCsvLine(columns.map((column) => row[column]))).join('')
}

async function* encodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) if (text !== '') yield encoder.encode(text)
}

const TYPES = { json: 'application/json', csv: 'text/csv; charset=utf-8' } as const

export type RowFile<Row> = {
  readonly rows: Rows<Row>
  /** The columns of CSV. */
  readonly columns: readonly (keyof Row & string)[]
  readonly format: keyof typeof TYPES
  /** Without the extension. */
  readonly name: string
}

export const createRowFile = <Row>(request: Request, { rows, columns, format, name }: RowFile<Row>): Response => {
  const bytes = encodeTexts(format === 'json' ? formatJson(rows) : formatCsv(rows, columns))
  const coding = selectCoding(request.headers.get('accept-encoding'))
  return createLongResponse(
    { source: coding ? compressSource(coding, bytes) : bytes },
    {
      headers: {
        'Content-Type': TYPES[format],
        'Content-Disposition': `attachment; filename="${name}.${format}"`,
        'Cache-Control': 'no-store',
        Vary: 'Accept-Encoding',
        ...(coding && { 'Content-Encoding': coding }),
      },
    },
  )
}
