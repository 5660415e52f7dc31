/** Prints an answer in the requested format. Long lists are written in pieces. */
import { z } from 'zod'
import { getLabel, getRowId, type Row } from '../../../contract/labels.ts'
import { getOwn } from '../../../contract/own.ts'
import { isRecord } from '../../../contract/unknown.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import { formatCsv } from '../../http/answer/csv.ts'
import { readJson, type Transport } from '../connection/client.ts'
import type { Session } from '../parse/command.ts'
import { toPrintable, toPrintableJson } from './display.ts'
import {
  formatPreviewEnd,
  formatPreviewHead,
  getProposal,
  isPreview,
  offerUndo,
  PREVIEW,
  printProposal,
  tellProposal,
  withProposal,
} from './preview.ts'
import { formatObject, formatTable, listColumns } from './table.ts'
import { streamYaml } from './yaml-text.ts'

/** The shape of the answer: rows (a list, or an object that contains only one), or one object. */
type Shape = { readonly list: 'itself' | string | undefined; readonly item: z.ZodType }

const detectShape = (output: z.ZodType): Shape => {
  if (output instanceof z.ZodArray) return { list: 'itself', item: getElement(output) }
  if (output instanceof z.ZodObject) {
    const [only, ...others] = Object.entries(output.shape)
    if (only && others.length === 0 && only[1] instanceof z.ZodArray && getElement(only[1]) instanceof z.ZodObject)
      return { list: only[0], item: getElement(only[1]) }
  }
  return { list: undefined, item: output }
}

// Zod declares an element by its core type; all our schemas are made by the classic API.
const getElement = (list: z.ZodArray): z.ZodType => list.element as z.ZodType

const getFields = (item: z.ZodType): Record<string, z.ZodType> =>
  // The core type of a schema from the classic API.
  item instanceof z.ZodObject ? (item.shape as Record<string, z.ZodType>) : {}

const getChosenColumns = (item: z.ZodType): string[] => {
  const columns: unknown = item.meta()?.columns
  return Array.isArray(columns) ? columns.map(String) : Object.keys(getFields(item))
}

/** Returns the columns of the contract, and the optional fields that a row has, such as a space or the result of `--include`. */
const listTableColumns = (item: z.ZodType, rows: readonly Row[]): string[] => {
  const chosen = getChosenColumns(item)
  if (chosen.length === 0) return listColumns(rows)
  const asked = Object.entries(getFields(item)).filter(
    ([field, schema]) => schema instanceof z.ZodOptional && rows.some((row) => Object.hasOwn(row, field)),
  )
  return [...chosen, ...asked.map(([field]) => field).filter((field) => !chosen.includes(field))]
}

/** Returns the fields that hold a record, and that an answer has only with a value: their entries are columns. */
const recordFields = (item: z.ZodType): string[] =>
  Object.entries(getFields(item)).flatMap(([field, schema]) =>
    schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodRecord ? [field] : [],
  )

/** Returns the entries of a record with the names of their columns: `custom.owner`. */
const listEntries = (row: Row, field: string): [column: string, value: unknown][] => {
  const record = row[field]
  return isRecord(record) ? Object.entries(record).map(([key, value]) => [`${field}.${key}`, value]) : []
}

type Csv = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

const toCsv = (item: z.ZodType, rows: readonly Row[]): Csv => {
  const fields = Object.keys(getFields(item))
  if (fields.length === 0) return { columns: listColumns(rows), rows }
  const records = recordFields(item)
  const named = (field: string) => [
    ...new Set(rows.flatMap((row) => listEntries(row, field).map(([column]) => column))),
  ]
  const columns = fields.flatMap((field) => (records.includes(field) ? named(field).sort() : [field]))
  if (columns.length === fields.length - records.length) return { columns, rows }
  const flat = (row: Row): Row => ({
    ...row,
    ...Object.fromEntries(records.flatMap((field) => listEntries(row, field))),
  })
  return { columns, rows: rows.map(flat) }
}

/** Returns the output for a row with `--output name`: its id, or its addresses or subnets if it has none. */
const listIds = (row: Row): readonly string[] => {
  const id = getRowId(row)
  if (id !== undefined) return [id]
  return [row.ip ?? row.ips ?? row.subnets ?? []].flat().map(String)
}

const listNames = (row: Row): readonly string[] => {
  const label = getLabel(row)
  return label === undefined ? listIds(row) : [label]
}

function* formatLines(rows: readonly Row[], lines: (row: Row) => readonly string[]): Generator<string> {
  for (let at = 0; at < rows.length; at += 2000)
    yield rows
      .slice(at, at + 2000)
      .flatMap(lines)
      .map((line) => `${toPrintable(line)}\n`)
      .join('')
}

async function* withFinalNewline(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last = 0
  for await (const chunk of body) {
    if (chunk.length === 0) continue
    last = chunk.at(-1) ?? 0
    yield chunk
  }
  if (last !== 0x0a) yield new TextEncoder().encode('\n')
}

/** Returns a value with the names of objects in the place of their ids. */
const replaceIds = (value: unknown, names: Row): unknown => {
  if (typeof value === 'string') return getOwn(names, value) ?? value
  if (Array.isArray(value)) return value.map((one) => replaceIds(one, names))
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceIds(one, names)]))
    : value
}

/** Returns a row of the history without the names of the objects in its fields. In a table the fields show these names. */
const withoutNames = (row: Row, isTable: boolean): Row => {
  const { names, fields, ...others } = row
  if (!isRecord(names) || !isRecord(fields)) return row
  return { ...others, fields: isTable ? replaceIds(fields, names) : fields }
}

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

const formatJson = (value: unknown, isTty: boolean): Pieces => [
  isTty ? `${toPrintableJson(JSON.stringify(value, undefined, 2))}\n` : `${JSON.stringify(value)}\n`,
]

const formatPieces = (value: unknown, { list, item }: Shape, { globals, io }: Session): Pieces => {
  const held = list === undefined || list === 'itself' ? value : isRecord(value) ? value[list] : undefined
  const rows = (Array.isArray(held) ? held : [held]).filter(isRecord)
  const { hasHeaders } = globals
  if (globals.isQuiet) return formatLines(rows, listIds)
  switch (globals.output) {
    case 'json':
      return formatJson(value, io.stdout.isTty)
    case 'yaml':
      return streamYaml(value)
    case 'name':
      return formatLines(rows, listNames)
    case 'csv': {
      const { columns, rows: written } = toCsv(
        item,
        rows.map((row) => withoutNames(row, false)),
      )
      const options = { columns, hasHeaders }
      return formatCsv(written, io.stdout.isTty ? { ...options, shown: formatLine } : options)
    }
    case 'table': {
      const width = io.stdout.isTty ? io.stdout.columns : undefined
      const shown = rows.map((row) => withoutNames(row, true))
      const [only = {}] = shown
      return list === undefined
        ? formatObject(only, { hasHeaders, width })
        : formatTable(shown, { columns: listTableColumns(item, shown), hasHeaders, width })
    }
  }
}

/** A terminal shows CSV to a person, so it is made printable. */
const formatLine = (line: string): string => `${toPrintable(line.replace(/\r\n$/, ''))}\r\n`

const writeAll = async (session: Session, pieces: Pieces): Promise<void> => {
  for await (const piece of pieces) await session.io.stdout.write(piece)
}

const formatDone = (op: AnyOperation): string => (op.effect === 'delete' ? 'Deleted.\n' : 'Done.\n')

/** False for a successful answer that reports a failure, such as a partly failed bulk call. */
const isWell = (value: unknown): boolean => {
  if (!isRecord(value)) return true
  return value.ok !== false && !(typeof value.failed === 'number' && value.failed > 0)
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Returns the change of a call that removes objects, or changes many at once. */
const listUndoable = ({ effect, isBulk }: AnyOperation, { headers }: Response): string[] => {
  const id = headers.get('x-change-id')
  return id !== null && (effect === 'delete' || isBulk) ? [id] : []
}

type Answer = { readonly op: AnyOperation; readonly transport: Transport; readonly response: Response }

/** @returns true if all succeeded */
export const present = async (session: Session, answer: Answer): Promise<boolean> => {
  const { transport, response } = answer
  const proposal = getProposal(response)
  if (proposal !== null && session.globals.isQuiet) {
    const value = await readJson(transport, response)
    await printProposal(session, proposal)
    return isWell(value)
  }
  const isDone = await show(session, answer)
  await tellProposal(session, transport, proposal)
  return isDone
}

const show = async (session: Session, { op, transport, response }: Answer): Promise<boolean> => {
  const { io, globals } = session
  const isList = op.output instanceof z.ZodArray
  if (globals.output === 'json' && !globals.isQuiet && isList && !io.stdout.isTty && response.body) {
    await writeAll(session, withFinalNewline(response.body))
    return true
  }
  const isData = globals.output === 'json' || globals.output === 'yaml'
  const value = withProposal(await readJson(transport, response), isData ? getProposal(response) : null)
  if (isPreview(response, value)) {
    const isTable = globals.output === 'table' && !globals.isQuiet
    if (isTable) await io.stdout.write(formatPreviewHead(value))
    await writeAll(session, formatPieces(value, PREVIEW, session))
    if (isTable) await io.stdout.write(formatPreviewEnd(value))
    return true
  }
  if (value === undefined) {
    if (io.stderr.isTty && !globals.isQuiet) await io.stderr.write(formatDone(op))
    await offerUndo(session, listUndoable(op, response))
    return true
  }
  const shape = detectShape(op.output)
  const shown = globals.output === 'table' && !globals.isQuiet ? op.cli?.shown?.(value) : undefined
  // Rows made for a table have their own columns.
  const item = shown === undefined || isEmpty(shown) ? shape.item : z.unknown()
  await writeAll(session, formatPieces(shown ?? value, { ...shape, item }, session))
  await offerUndo(session, listUndoable(op, response))
  return isWell(value)
}
