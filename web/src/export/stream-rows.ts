/** Writes a list of the server to a file while it arrives: no more than a part of it is in memory. */

import { formatCsv } from '../../../src/base/csv/csv.ts'
import { CUSTOM } from '../../../src/base/csv/custom-columns.ts'
import { keepMoment } from '../api/as-of.ts'
import { request } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { definitionsQuery } from '../custom-fields/definitions.ts'
import { findResource } from './fields.ts'
import { createListReader } from './json-list.ts'
import { formatCsvRows, formatJsonRows, listFileColumns } from './rows.ts'
import { saveBlob } from './save.ts'

const TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' }

/** Returns the columns of custom fields, of which a caller without the right to list them sees none. */
const loadCustomColumns = async (name: string): Promise<readonly string[]> => {
  const definitions = await queryClient.fetchQuery(definitionsQuery).catch(() => [])
  return definitions.filter(({ resource }) => resource === name).map((one) => `${CUSTOM}.${one.name}`)
}

/** @returns the number of rows */
export const streamRows = async (name: string, path: string, format: 'csv' | 'json'): Promise<number> => {
  const resource = findResource(name)
  if (!resource) throw new Error(`${name} have no file`)
  const fields = listFileColumns(resource)
  const custom = format === 'csv' ? await loadCustomColumns(name) : []
  const columns = format === 'csv' ? fields.flatMap((one) => (one === CUSTOM ? custom : one)) : fields
  const response = await request(keepMoment(path), { method: 'GET' })
  const read = createListReader()
  let count = 0
  const formatRows = (text: string): string => {
    const rows = read(text)
    const isFirst = count === 0
    count += rows.length
    if (rows.length === 0) return ''
    return format === 'csv' ? formatCsvRows(columns, rows) : `${isFirst ? '' : ',\n'}${formatJsonRows(columns, rows)}`
  }
  const pieces = new TransformStream<string, string>({
    start: (controller) => controller.enqueue(format === 'csv' ? formatCsv([columns]) : '['),
    transform: (text, controller) => controller.enqueue(formatRows(text)),
    flush: (controller) => {
      if (format === 'json') controller.enqueue(']\n')
    },
  })
  const body = (response.body ?? new Blob().stream())
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(pieces)
    .pipeThrough(new TextEncoderStream())
  // The browser keeps a blob outside of the page.
  saveBlob(`${name}.${format}`, await new Response(body, { headers: { 'content-type': TYPES[format] } }).blob())
  return count
}
