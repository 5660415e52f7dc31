/** Converts a spreadsheet: rows below a header, with the columns that it names. */
import type { Cells } from '../base/csv/csv.ts'
import { type BuiltRows, buildRows, type ColumnUse, type SheetTable } from '../base/sheets/build-rows.ts'
import { DESCRIBED } from '../base/sheets/described.ts'
import { findHeader, hasHeader } from '../base/sheets/find-header.ts'
import { formatPlace } from '../base/sheets/locate.ts'
import { mapColumns } from '../base/sheets/map-columns.ts'
import { type Sheet, withKind } from '../base/sheets/sheet.ts'
import { AppError, invalidField } from '../contract/errors.ts'
import { getOwn } from '../contract/own.ts'
import { INVENTORY, type Resource } from '../inventory/resources.ts'
import { type Conversion, createFileError, type WholeConverter } from './converter.ts'
import { ObjectLimit } from './object-limit.ts'
import type { ConvertedCells, ConvertOptions, Mapping } from './protocol.ts'
import { ReportBuilder } from './report-builder.ts'
import type { RowSchemas } from './row-schemas.ts'
import { isSecret } from './secret-fields.ts'
import { readSheetFile } from './sheet-file.ts'

/** The number of columns of the largest sheet of a spreadsheet, and the longest name of one. */
const MAX_COLUMNS = 16_384
const MAX_COLUMN_NAME = 1000
/** The resource of the objects of kinds. */
const OBJECTS = 'objects'
/** The rows that an error names. */
const MAX_REJECTED = 100

const checkColumns = (columns: readonly string[], where: string): void => {
  if (columns.length > MAX_COLUMNS) throw createFileError(where, `names more than ${MAX_COLUMNS} columns`)
  const long = columns.findIndex((column) => column.length > MAX_COLUMN_NAME)
  if (long !== -1) throw createFileError(where, `names column ${long + 1} with more than ${MAX_COLUMN_NAME} characters`)
}

/** Returns the rows below the header. @throws AppError VALIDATION_ERROR on `file` for a sheet without a header */
const splitHeader = ({ rows, numbers, unit }: Cells, sheet: Sheet, given: readonly string[]): SheetTable => {
  if (rows.length === 0) throw createFileError(`${unit} 1`, 'names no column')
  const at = findHeader(rows, sheet, given)
  if (at === undefined)
    throw createFileError(
      `${unit} ${numbers[0]}`,
      `holds values; a ${unit} above the rows must name the columns, such as name,ip`,
    )
  const columns = (rows[at] ?? []).map((column) => column.trim())
  while (columns.length > 1 && columns.at(-1) === '') columns.pop()
  checkColumns(columns, `${unit} ${numbers[at]}`)
  return { columns, rows: rows.slice(at + 1), numbers: numbers.slice(at + 1), unit }
}

const getResource = ({ resource, kind }: Partial<Mapping>): Resource => {
  if (kind !== undefined && resource !== undefined && resource !== OBJECTS)
    throw invalidField('kind', `is for objects of kinds, and not for ${resource}`)
  if (kind !== undefined) return OBJECTS
  if (resource !== undefined) return resource
  throw invalidField('resource', `is required for a spreadsheet: one of ${INVENTORY.join(', ')}`)
}

type SheetOptions = Pick<ConvertOptions, 'mapping' | 'labels' | 'withLeftover' | 'clearsEmpty'>

/** Returns the columns of the resource of a mapping, or of the kind. */
const selectSheet = ({ getSheet }: RowSchemas, { mapping = {}, labels = {} }: SheetOptions): Sheet => {
  const sheet = getSheet(getResource(mapping))
  return mapping.kind === undefined ? sheet : withKind(sheet, { id: mapping.kind, labels })
}

/** Reports the sheets of a workbook that are not read. */
const reportSheets = ({ sheet }: Cells, report: ReportBuilder): void => {
  if (!sheet) return
  for (const { name, isHidden } of sheet.others)
    report.left('sheet', isHidden ? 'is hidden' : 'is another sheet of the workbook', name)
  report.warn(`Of the workbook the sheet ${JSON.stringify(sheet.name)} was read`)
}

const LEFT_WHY = { 'left out': 'is left out', differs: 'differs from an earlier row of the same device' } as const

/** A converted sheet, with the row of the file that each row comes from. */
export type ConvertedSheet = {
  readonly conversion: Conversion
  readonly table: SheetTable
  readonly fields: readonly string[]
  /** The use of each column without a field. */
  readonly uses: readonly ColumnUse[]
} & Pick<BuiltRows, 'origins' | 'rejected' | 'named'>

/** Converts the cells of a sheet. Rows that cannot be read are rejected. @throws AppError VALIDATION_ERROR on `file`, `resource` or `mapping` */
export const convertCells = (schemas: RowSchemas, cells: Cells, options: SheetOptions): ConvertedSheet => {
  const { mapping = {} } = options
  const { columns: given = {}, kind } = mapping
  const resource = getResource(mapping)
  const sheet = selectSheet(schemas, options)
  const table = splitHeader(cells, sheet, Object.keys(given))
  const fields = mapColumns(sheet, table, given)
  const report = new ReportBuilder(options)
  reportSheets(cells, report)
  const limit = new ObjectLimit()
  const { columns } = table
  const uses = columns.map((column): ColumnUse => {
    if (isSecret(column)) return 'secret'
    return getOwn(given, column) === '' || sheet.readOnly.has(column) ? 'leave' : 'describe'
  })
  const built = buildRows(sheet, table, {
    fields,
    emptyClears: options.clearsEmpty ?? false,
    getUse: (at) => uses[at] ?? 'leave',
    onRow: () => {
      limit.add()
      report.read('row')
    },
    onLeft: (column, why, at) => {
      if (why === 'secret') report.dropped(column)
      else report.left(column, why === 'no place' ? 'has no place in Plat' : LEFT_WHY[why], at, at.value)
    },
    describe: (number, text, lines) =>
      report.describe(
        'row',
        number,
        text,
        lines.map(({ column, value }) => ({ key: column, value, field: column })),
      ),
  })
  const { rows: read, ...others } = built
  const rows = kind === undefined ? read : read.map((row) => ({ kind, ...row }))
  const documents = rows.length > 0 ? { [resource]: rows } : {}
  const used: Mapping = {
    resource,
    columns: listUsedColumns(columns, fields, given),
    ...(kind !== undefined && { kind }),
  }
  return {
    ...others,
    table,
    fields,
    uses,
    conversion: {
      source: 'csv',
      documents,
      hosts: [],
      report: { ...report.report(documents), mapping: used },
      leftover: report.leftover(),
    },
  }
}

/** Converts a spreadsheet or a sheet of a workbook. Rows that cannot be read are rejected. @throws AppError VALIDATION_ERROR on `file`, `resource` or `mapping` */
export const convertSheet = async (
  schemas: RowSchemas,
  bytes: Uint8Array,
  options: SheetOptions,
): Promise<ConvertedSheet> => {
  const sheet = selectSheet(schemas, options)
  const given = Object.keys(options.mapping?.columns ?? {})
  return convertCells(schemas, await readSheetFile(bytes, (rows) => hasHeader(rows, sheet, given)), options)
}

/** Returns the error of a file with rows that cannot be read. */
export const createRejectedError = ({
  rejected,
  table: { unit },
}: Pick<ConvertedSheet, 'rejected' | 'table'>): AppError => {
  const details = rejected.slice(0, MAX_REJECTED).map(({ number, column, value, message }) => ({
    field: 'file',
    message: `${unit} ${number}: ${column === undefined ? '' : `${formatPlace({ number, column, ...(value !== undefined && { value }) })}: `}${message}`,
  }))
  return new AppError('VALIDATION_ERROR', `file: ${details[0]?.message}`, { details })
}

const convertCsv = async (schemas: RowSchemas, bytes: Uint8Array, options: ConvertOptions): Promise<Conversion> => {
  const converted = await convertSheet(schemas, bytes, options)
  if (options.withSheet) return { ...converted.conversion, sheet: listCells(schemas, converted) }
  if (converted.rejected.length > 0) throw createRejectedError(converted)
  return converted.conversion
}

const listCells = ({ getSheet }: RowSchemas, converted: ConvertedSheet): ConvertedCells => {
  const { resource } = converted.conversion.report.mapping ?? {}
  const hasDescription = resource !== undefined && Object.hasOwn(getSheet(resource).fields, 'description')
  const { table, fields, uses, origins, rejected } = converted
  return {
    unit: table.unit,
    columns: table.columns.map((name, at) => ({
      name,
      field: fields[at] ?? '',
      is_described: hasDescription && (fields[at] ?? '') === '' && uses[at] === 'describe',
    })),
    numbers: [...table.numbers],
    rows: table.rows.map((row) => [...row]),
    origins: origins.map((origin) =>
      typeof origin === 'number' ? origin : { rows: [...origin.rows], addresses: [...origin.addresses] },
    ),
    rejected: rejected.map((row) => ({ ...row })),
  }
}

export const createCsvConverter =
  (schemas: RowSchemas): WholeConverter =>
  (bytes, options) =>
    convertCsv(schemas, bytes, options)

/** Returns the columns with a field, and the columns that the mapping left out. */
const listUsedColumns = (
  columns: readonly string[],
  fields: readonly string[],
  given: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap((column, at): [string, string][] => {
      const field = fields[at] ?? ''
      const own = getOwn(given, column)
      if (own === '' || own === DESCRIBED) return [[column, own]]
      return field !== '' ? [[column, field]] : []
    }),
  )
