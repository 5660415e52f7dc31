/** Spreadsheets of `plat import csv`: converts them here, names the cell of each error, and gives bad rows back. */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { formatCsv } from '../../base/csv/csv.ts'
import type { RejectedRow } from '../../base/sheets/build-rows.ts'
import { formatPlace, listOriginRows, locateCell, type MappedTable } from '../../base/sheets/locate.ts'
import { AppError } from '../../contract/errors.ts'
import { withSourceRules } from '../../contract/fields/row-rules.ts'
import { getErrorMessage, isRecord } from '../../contract/unknown.ts'
import type { ConvertedSheet } from '../../convert/convert.ts'
import type { Mapping } from '../../convert/protocol.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { getSheet } from '../../inventory/sheets.ts'
import { sendRequest } from '../../surfaces/cli/connection/client.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import type { Session } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import type { LocateCell } from './cli-document.ts'

const MAX_SHOWN = 100

/** A converted spreadsheet of a file. */
export type SheetFile = {
  /** The path of the file, or -. */
  readonly source: string
  readonly resource: Resource
  readonly sheet: ConvertedSheet
}

const getName = (source: string): string => (source === '-' ? 'standard input' : basename(source))

/** @throws AppError INVALID_INPUT for a file that cannot be read */
export const readSource = async ({ io }: Session, source: string): Promise<Uint8Array> => {
  if (source === '-') return io.stdin.readAll()
  return readFile(source).catch((error: unknown) => {
    throw createUsageError(`can't read ${source}: ${getErrorMessage(error)}`)
  })
}

const formatRejected = (source: string, { number, column, value, message }: RejectedRow): string => {
  const cell = column === undefined ? '' : formatPlace({ number, column, ...(value !== undefined && { value }) })
  return toPrintable(`${getName(source)}:${number}: ${cell === '' ? '' : `${cell}: `}${message}`)
}

/** Returns a line for each row that cannot be read, up to a limit. */
const listRejected = (source: string, rejected: readonly RejectedRow[]): string[] => [
  ...rejected.slice(0, MAX_SHOWN).map((row) => formatRejected(source, row)),
  ...(rejected.length > MAX_SHOWN ? [`and ${rejected.length - MAX_SHOWN} more`] : []),
]

type ConvertOptions = {
  readonly mapping: Partial<Mapping>
  /** The labels of the custom fields of the kind of the mapping, by their names. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly skipsBad: boolean
}

/** @throws AppError VALIDATION_ERROR for a file that is no spreadsheet, or with rows that cannot be read, unless they are skipped */
export const convertSheetFile = async (
  session: Session,
  source: string,
  { mapping, labels, skipsBad }: ConvertOptions,
): Promise<SheetFile> => {
  const { convertSheetHere } = await import('../../convert/convert.ts')
  const sheet = await convertSheetHere(await readSource(session, source), { getSheet, mapping, labels })
  const { resource } = sheet.conversion.report.mapping ?? {}
  if (resource === undefined) throw new Error('a spreadsheet has a resource')
  if (sheet.rejected.length > 0) {
    const lines = listRejected(source, sheet.rejected)
    if (!skipsBad) throw new AppError('VALIDATION_ERROR', ['some rows can’t be read', ...lines].join('\n'))
    await session.io.stderr.write(`error: some rows can’t be read\n${lines.map((line) => `  ${line}\n`).join('')}`)
  }
  return { source, resource, sheet }
}

/** Returns the objects of a list that have a name; undefined if the caller may not list them. */
const findNamed = async ({ connect }: Session, resource: string): Promise<Map<string, unknown> | undefined> => {
  const { transport } = await connect()
  try {
    const init = { method: 'GET', headers: { accept: 'application/json' } }
    const rows: unknown = await (await sendRequest(transport, `/api/${resource}`, init)).json()
    if (!Array.isArray(rows)) return undefined
    return new Map(rows.filter(isRecord).map(({ name, managed_by }) => [String(name).toLowerCase(), managed_by]))
  } catch (error) {
    if (error instanceof AppError && error.code === 'FORBIDDEN') return undefined
    throw error
  }
}

/** The lower-case names of the objects that a document makes because its rows name them, by their resource. */
type MadeNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Returns the document of a spreadsheet, with the datacenters and address spaces that its rows name and that are not there.
 * @param owner of the objects: rows of the ones that it has keep them from being pruned
 */
export const completeDocument = async (session: Session, { sheet }: SheetFile, owner: string) => {
  const documents = { ...sheet.conversion.documents }
  const made = new Map<string, ReadonlySet<string>>()
  for (const [resource, names] of sheet.named) {
    const known = INVENTORY.find((one) => one === resource)
    const stored = known && (await findNamed(session, known))
    if (!known || !stored) continue
    const isOurs = (name: string) => !stored.has(name) || (owner !== '' && stored.get(name) === owner)
    // Of several spellings, the first one counts.
    const byKey = new Map([...names.keys()].toReversed().map((name) => [name.toLowerCase(), name]))
    const rows = [...byKey].flatMap(([key, name]) => (isOurs(key) ? [{ name }] : []))
    made.set(known, new Set([...byKey.keys()].filter((key) => !stored.has(key))))
    if (rows.length > 0) documents[known] = [...rows, ...(documents[known] ?? [])]
  }
  return { documents: withSourceRules(documents), made: made as MadeNames }
}

/** Returns the numbers of the rows of the file that became failed rows of the document. */
const listFailedNumbers = (
  { resource, sheet }: SheetFile,
  failed: Readonly<Record<string, readonly number[]>>,
): number[] =>
  (failed[resource] ?? []).flatMap((row) => listOriginRows(sheet.origins[row] ?? { rows: [], addresses: [] }))

type Rows = Readonly<Record<string, readonly unknown[] | undefined>>

/** Returns the rows of a document without the made objects that only failed rows name; undefined if there are none. */
export const dropNamedByFailed = (
  file: SheetFile,
  { rows, made }: { readonly rows: Rows; readonly made: MadeNames },
  failed: Readonly<Record<string, readonly number[]>>,
): Rows | undefined => {
  const numbers = new Set(listFailedNumbers(file, failed))
  const kept = new Map<string, readonly unknown[]>()
  for (const [resource, keys] of made) {
    const names = [...(file.sheet.named.get(resource) ?? [])]
    const used = new Set(
      names.filter(([, all]) => all.some((one) => !numbers.has(one))).map(([name]) => name.toLowerCase()),
    )
    const isNeeded = (row: unknown): boolean => {
      const key = isRecord(row) ? String(row.name).toLowerCase() : ''
      return used.has(key) || !keys.has(key)
    }
    const list = rows[resource] ?? []
    const needed = list.filter(isNeeded)
    if (needed.length < list.length) kept.set(resource, needed)
  }
  return kept.size > 0 ? { ...rows, ...Object.fromEntries(kept) } : undefined
}

const buildTable = ({ table, fields }: ConvertedSheet): MappedTable => {
  const places = new Map(table.numbers.map((number, at) => [number, at]))
  return { columns: table.columns, fields, getCells: (number) => table.rows[places.get(number) ?? -1] }
}

/** Returns the function that finds the line and the cell of an error. */
export const createLocator = ({ source, resource, sheet }: SheetFile): LocateCell => {
  let table: MappedTable | undefined
  return (list, row, field) => {
    const origin = list === resource ? sheet.origins[row] : undefined
    if (origin === undefined) return undefined
    table ??= buildTable(sheet)
    const place = locateCell(table, origin, field)
    return { place: `${getName(source)}:${place.number}`, cell: formatPlace(place) }
  }
}

/** @example getBadFile('lists/devices.csv') // 'lists/devices.bad.csv' */
export const getBadFile = (source: string): string => {
  const name = source === '-' ? 'stdin' : basename(source).replace(/(?<=.)\.[^.]*$/, '')
  return source === '-' ? `${name}.bad.csv` : join(dirname(source), `${name}.bad.csv`)
}

/** Writes the rows that were not imported beside the file, as they stand in it. */
export const writeBadRows = async (
  { io }: Session,
  file: SheetFile,
  failed: Readonly<Record<string, readonly number[]>>,
): Promise<void> => {
  const { source, sheet } = file
  const made = listFailedNumbers(file, failed)
  const numbers = [...new Set([...made, ...sheet.rejected.map(({ number }) => number)])].sort((a, b) => a - b)
  if (numbers.length === 0) return
  const { getCells } = buildTable(sheet)
  const path = getBadFile(source)
  const text = formatCsv([[...sheet.table.columns], ...numbers.map((number) => [...(getCells(number) ?? [])])])
  await writeFile(path, text).catch((error: unknown) => {
    throw createUsageError(`can't write ${path}: ${getErrorMessage(error)}`)
  })
  const what = numbers.length === 1 ? '1 row that was' : `${numbers.length} rows that were`
  await io.stderr.write(
    `note: the ${what} not imported ${numbers.length === 1 ? 'is' : 'are'} in ${toPrintable(path)}\n`,
  )
}
