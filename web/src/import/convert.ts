/** Files as the server converts them to rows. */

import { formatCsv } from '../../../src/base/csv/csv.ts'
import { AppError } from '../../../src/contract/errors.ts'
import type { Converted, ConvertedCells } from '../../../src/convert/protocol.ts'
import { request } from '../api/client.ts'
import { isCode } from '../api/errors.ts'
import type { ResourceName } from '../export/fields.ts'
import { type Draft, listFilled, renumber, type SheetSource, toDraft } from './draft.ts'

type Given = {
  readonly format?: string | undefined
  readonly origin?: string | undefined
  /** Of a spreadsheet. */
  readonly resource?: ResourceName | undefined
  readonly mapping?: Readonly<Record<string, string>> | undefined
  readonly clearsEmpty?: boolean
  readonly signal: AbortSignal
}

/** The largest file that the server converts. */
const MAX_BYTES = 256 * 1024 * 1024

/** @returns undefined for a file of a format that the server does not know, if none is given */
export const convertFile = async (file: Blob, given: Given): Promise<Converted | undefined> => {
  if (file.size > MAX_BYTES) throw new AppError('INVALID_INPUT', 'This file is larger than 256 MiB. Use plat import')
  const { format, origin, resource, mapping, clearsEmpty = false, signal } = given
  const query = new URLSearchParams({ leftover: 'true', sheet: 'true' })
  if (format) query.set('format', format)
  if (origin) query.set('origin', origin)
  if (resource) query.set('resource', resource)
  if (mapping) query.set('mapping', JSON.stringify({ columns: mapping }))
  if (clearsEmpty) query.set('empty', 'clear')
  try {
    const response = await request(`/api/estate/convert?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      signal,
    })
    // The server's half of the contract.
    return (await response.json()) as Converted
  } catch (error) {
    if (!format && isCode(error, 'VALIDATION_ERROR') && error.details.some(({ field }) => field === 'format'))
      return undefined
    throw error
  }
}

/** Has the server read a NetBox. The token is only sent for this call. */
export const pullNetbox = async (url: string, token: string, signal: AbortSignal): Promise<Draft> => {
  const response = await request('/api/estate/pull', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'netbox', url, token, leftover: true }),
    signal,
  })
  return toDraft(url, { ...((await response.json()) as Omit<Converted, 'hosts'>), hosts: [] })
}

type Cells = Pick<SheetSource, 'resource' | 'cells' | 'mapping' | 'clearsEmpty'> & { readonly name: string }

/**
 * Converts the cells of a spreadsheet by its mapping. Each row keeps its number in the file.
 * @throws AppError as the server, such as of a field that two columns have
 */
export const convertCells = async (given: Cells, signal: AbortSignal): Promise<Draft> => {
  const { name, resource, cells, mapping, clearsEmpty } = given
  const { numbers, rows } = listFilled(cells)
  const columns = cells.columns.map((column) => column.name)
  const file = new Blob([formatCsv([columns, ...rows])])
  const converted = await convertFile(file, { format: 'csv', resource, mapping, clearsEmpty, signal })
  if (!converted?.sheet) throw new Error('the server converts every spreadsheet')
  const sheet: ConvertedCells = renumber(converted.sheet, numbers, cells.unit)
  return toDraft(name, converted, { resource, mapping, clearsEmpty, cells: sheet })
}
