/** Writes a list of the server to a file while it arrives: no more than a part of it is in memory. */

import { formatCsv } from '../../../src/base/csv/csv.ts'
import { CUSTOM } from '../../../src/base/csv/custom-columns.ts'
import { keepMoment } from '../api/as-of.ts'
import { request } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { definitionsQuery } from '../custom-fields/definitions.ts'
import type { Column } from '../table/column.ts'
import { findResource } from './fields.ts'
import { createListReader } from './json-list.ts'
import { formatCsvRows, formatJsonRows, listFileColumns } from './rows.ts'
import { saveBlob } from './save.ts'
import { formatShownHead, formatShownRows, listShownColumns } from './shown.tsx'

const TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' }

/** Returns the columns of custom fields, of which a caller without the right to list them sees none. */
const loadCustomColumns = async (name: string): Promise<readonly string[]> => {
  const definitions = await queryClient.fetchQuery(definitionsQuery).catch(() => [])
  return definitions.filter(({ resource }) => resource === name).map((one) => `${CUSTOM}.${one.name}`)
}

/** The columns of the file “CSV as shown”, which all have texts. */
type Shown<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly toRows: (objects: readonly object[]) => readonly Row[]
}

/** The texts of a file: before the rows, of some rows, and behind them. */
type Format = {
  readonly head: string
  readonly formatRows: (rows: readonly object[], isFirst: boolean) => string
  readonly end: string
}

const buildFormat = async <Row>(name: string, format: 'csv' | 'json' | Shown<Row>): Promise<Format> => {
  if (typeof format === 'object') {
    const columns = listShownColumns(format.columns)
    return {
      head: formatShownHead(columns),
      formatRows: (rows) => formatShownRows(columns, format.toRows(rows)),
      end: '',
    }
  }
  const resource = findResource(name)
  if (!resource) throw new Error(`${name} have no file`)
  const fields = listFileColumns(resource)
  if (format === 'json')
    return {
      head: '[',
      formatRows: (rows, isFirst) => `${isFirst ? '' : ',\n'}${formatJsonRows(fields, rows)}`,
      end: ']\n',
    }
  const custom = await loadCustomColumns(name)
  const columns = fields.flatMap((one) => (one === CUSTOM ? custom : one))
  return { head: formatCsv([columns]), formatRows: (rows) => formatCsvRows(columns, rows), end: '' }
}

/** @returns the number of rows */
export const streamRows = async <Row>(
  name: string,
  path: string,
  format: 'csv' | 'json' | Shown<Row>,
): Promise<number> => {
  const { head, formatRows, end } = await buildFormat(name, format)
  const response = await request(keepMoment(path), { method: 'GET' })
  const read = createListReader()
  let count = 0
  const formatPiece = (text: string): string => {
    const rows = read(text)
    const isFirst = count === 0
    count += rows.length
    return rows.length === 0 ? '' : formatRows(rows, isFirst)
  }
  const pieces = new TransformStream<string, string>({
    start: (controller) => controller.enqueue(head),
    transform: (text, controller) => controller.enqueue(formatPiece(text)),
    flush: (controller) => controller.enqueue(end),
  })
  const type = format === 'json' ? 'json' : 'csv'
  const body = (response.body ?? new Blob().stream())
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(pieces)
    .pipeThrough(new TextEncoderStream())
  // The browser keeps a blob outside of the page.
  saveBlob(`${name}.${type}`, await new Response(body, { headers: { 'content-type': TYPES[type] } }).blob())
  return count
}
