/** Writes a list of the server to a file while it arrives: no more than a part of it is in memory. */

import { csvText } from '../../../src/features/estate/csv/csv.ts'
import { CUSTOM } from '../../../src/features/estate/csv/custom-columns.ts'
import { keepAsOf } from '../api/as-of.ts'
import { request } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'
import { definitionsQuery } from '../custom-fields/definitions.ts'
import { resourceNamed } from './fields.ts'
import { createListReader } from './json-list.ts'
import { columnsOfFile, csvRows, jsonRows } from './rows.ts'
import { saveBlob } from './save.ts'

const TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' }

/** The columns of custom fields, of which a caller without the right to list them sees none. */
const customColumnsOf = async (name: string): Promise<readonly string[]> => {
  const definitions = await queryClient.fetchQuery(definitionsQuery).catch(() => [])
  return definitions.filter(({ resource }) => resource === name).map((one) => `${CUSTOM}.${one.name}`)
}

/** @returns the number of rows */
export const streamRows = async (name: string, path: string, format: 'csv' | 'json'): Promise<number> => {
  const resource = resourceNamed(name)
  if (!resource) throw new Error(`${name} have no file`)
  const fields = columnsOfFile(resource)
  const custom = format === 'csv' ? await customColumnsOf(name) : []
  const columns = format === 'csv' ? fields.flatMap((one) => (one === CUSTOM ? custom : one)) : fields
  const response = await request(keepAsOf(path), { method: 'GET' })
  const read = createListReader()
  let count = 0
  const written = (text: string): string => {
    const rows = read(text)
    const isFirst = count === 0
    count += rows.length
    if (rows.length === 0) return ''
    return format === 'csv' ? csvRows(columns, rows) : `${isFirst ? '' : ',\n'}${jsonRows(columns, rows)}`
  }
  const pieces = new TransformStream<string, string>({
    start: (controller) => controller.enqueue(format === 'csv' ? csvText([columns]) : '['),
    transform: (text, controller) => controller.enqueue(written(text)),
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
