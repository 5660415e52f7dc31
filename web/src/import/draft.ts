/** An import before it is made: the rows by their resources, and the source of each. Pure functions. */
import { listOriginRows } from '../../../src/base/sheets/locate.ts'
import type { Converted, ConvertedCells } from '../../../src/convert/protocol.ts'
import { RESOURCES, type ResourceName } from '../export/fields.ts'

export type Row = Readonly<Record<string, unknown>>
export type Documents = Readonly<Partial<Record<ResourceName, readonly Row[]>>>

/** A spreadsheet with the rows of the file. */
export type SheetSource = {
  readonly resource: ResourceName
  readonly cells: ConvertedCells
  /** The fields by the names of columns, as they were sent. */
  readonly mapping: Readonly<Record<string, string>>
  readonly clearsEmpty: boolean
  /** Of a workbook with several sheets: which one is read, and the others. */
  readonly otherSheets?: readonly string[]
}

export type Draft = {
  /** The name of the file. */
  readonly name: string
  readonly format: string
  readonly documents: Documents
  /** The rules of the rows. */
  readonly rules: Readonly<Record<string, unknown>>
  readonly hosts: Converted['hosts']
  readonly report?: Converted['report']
  readonly leftover?: Converted['leftover']
  readonly sheet?: SheetSource
}

/** Separates the lists of a document from its rules. */
export const splitDocument = (document: Readonly<Record<string, unknown>>): Pick<Draft, 'documents' | 'rules'> => {
  const lists = RESOURCES.filter((resource) => Array.isArray(document[resource]))
  const names: ReadonlySet<string> = new Set(lists)
  return {
    // Each of them is a list, as its rows come from the server or are checked by it.
    documents: Object.fromEntries(lists.map((resource) => [resource, document[resource]])) as Documents,
    rules: Object.fromEntries(Object.entries(document).filter(([name]) => !names.has(name))),
  }
}

export const toDraft = (name: string, converted: Omit<Converted, 'sheet'>, sheet?: SheetSource): Draft => {
  const { format, documents, hosts, report, leftover } = converted
  return {
    ...{ name, format, hosts, report },
    ...splitDocument(documents),
    ...(leftover && { leftover }),
    ...(sheet && { sheet }),
  }
}

/** Lists rows of all resources with the place in their lists. */
export const listAll = (
  documents: Documents,
): { readonly resource: ResourceName; readonly at: number; readonly row: Row }[] =>
  RESOURCES.flatMap((resource) => (documents[resource] ?? []).map((row, at) => ({ resource, at, row })))

export const buildKey = (resource: string, at: number): string => `${resource} ${at}`

/** Returns the rows with these keys. The places of the kept rows are in the order of the lists. */
export const keepRows = (
  documents: Documents,
  isKept: (key: string) => boolean,
): { readonly documents: Documents; readonly places: Readonly<Partial<Record<ResourceName, readonly number[]>>> } => {
  const places = Object.fromEntries(
    RESOURCES.flatMap((resource) => {
      const kept = (documents[resource] ?? []).flatMap((_, at) => (isKept(buildKey(resource, at)) ? [at] : []))
      return kept.length > 0 ? [[resource, kept]] : []
    }),
  ) as Partial<Record<ResourceName, readonly number[]>>
  const rows = Object.fromEntries(
    Object.entries(places).map(([resource, kept]) => [
      resource,
      kept.map((at) => documents[resource as ResourceName]?.[at] ?? {}),
    ]),
  ) as Documents
  return { documents: rows, places }
}

/** Returns the numbers of the rows of the file that a converted row was made of. */
export const listNumbers = ({ cells }: SheetSource, at: number): readonly number[] =>
  listOriginRows(cells.origins[at] ?? { rows: [], addresses: [] })

/** Replaces the cells of one row of the file. */
export const withCells = ({ cells }: SheetSource, number: number, values: readonly string[]): ConvertedCells => {
  const place = cells.numbers.indexOf(number)
  const last = values.findLastIndex((value) => value !== '')
  const kept = values.slice(0, Math.max(last + 1, cells.columns.length))
  return { ...cells, rows: cells.rows.map((row, at) => (at === place ? [...kept] : row)) }
}

const isFilled = (row: readonly string[]): boolean => row.some((cell) => cell.trim() !== '')

/** Returns the cells without empty rows, as a file whose rows are converted again. */
export const listFilled = ({ numbers, rows }: ConvertedCells): { numbers: number[]; rows: string[][] } => {
  const kept = rows.flatMap((row, at) => (isFilled(row) ? [at] : []))
  return { numbers: kept.map((at) => numbers[at] ?? 0), rows: kept.map((at) => [...(rows[at] ?? [])]) }
}

/** Gives the cells that were converted again the numbers that the rows have in the file. @param numbers of the sent rows */
export const renumber = (
  cells: ConvertedCells,
  numbers: readonly number[],
  unit: ConvertedCells['unit'],
): ConvertedCells => {
  const byNew = new Map(cells.numbers.map((number, at) => [number, numbers[at] ?? number]))
  const toOld = (number: number): number => byNew.get(number) ?? number
  return {
    ...cells,
    unit,
    numbers: [...numbers],
    origins: cells.origins.map((origin) =>
      typeof origin === 'number'
        ? toOld(origin)
        : { rows: origin.rows.map(toOld), addresses: origin.addresses.map(toOld) },
    ),
    rejected: cells.rejected.map((row) => ({ ...row, number: toOld(row.number) })),
  }
}
