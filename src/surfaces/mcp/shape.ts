/**
 * Shapes an answer for a model: the requested fields, of bounded size. A list becomes `{items, total, truncated, next_offset?}`. With
 * `fields` it becomes a table of `{fields, items}` with lists of values as rows. An object that is too large loses the end of its
 * longest lists, and reports it.
 */
import { getOwn } from '../../contract/own.ts'
import { isRecord } from '../../contract/unknown.ts'
import { JsonList, JsonText, WithStatus } from '../../kernel/handler-result.ts'

/** About 20,000 tokens, which common clients accept in one answer. */
export const MAX_LIST_BYTES = 64 * 1024
/** Far above any single object of a typical inventory. */
export const MAX_OBJECT_BYTES = 256 * 1024

type Fields = readonly string[] | undefined
type Row = Readonly<Record<string, unknown>>
/** The answer of a tool: an object, empty for an operation without output. */
export type Shaped = Readonly<Record<string, unknown>>

const keep = (row: unknown, fields: Fields): unknown => {
  if (!fields || fields.length === 0 || !isRecord(row)) return row
  return Object.fromEntries(fields.filter((field) => Object.hasOwn(row, field)).map((field) => [field, row[field]]))
}

/** Returns a row of a table: its values in the order of the fields, which the table names once. */
const toValues = (row: unknown, fields: Fields): unknown =>
  fields && fields.length > 0 && isRecord(row) ? fields.map((field) => getOwn(row, field) ?? null) : row

const measureSize = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** Returns as many elements from the list's start as fit into `bytes`. */
const takeHead = (list: readonly unknown[], bytes: number): unknown[] => {
  const kept: unknown[] = []
  let size = 2
  for (const item of list) {
    size += measureSize(item) + 1
    if (size > bytes) break
    kept.push(item)
  }
  return kept
}

/** Shortens the longest list of an object that is too large. */
export const limitSize = (value: Row): Row => {
  const excess = measureSize(value) - MAX_OBJECT_BYTES
  if (excess <= 0) return value
  const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const [longest] = lists.sort(([, a], [, b]) => measureSize(b) - measureSize(a))
  if (!longest) return value
  const [name, list] = longest
  const cut = takeHead(list, Math.max(0, measureSize(list) - excess - 256))
  return { ...value, [name]: cut, truncated: { [name]: `${cut.length} of ${list.length}; don't write this list back` } }
}

type Page = {
  readonly rows: AsyncIterable<readonly unknown[]>
  /** The total number of rows; undefined if it is unknown because the page is full. */
  readonly total: () => Promise<number | undefined>
  readonly offset: number
}

const shapeList = async ({ rows, total, offset }: Page, fields: Fields, mostRows: number): Promise<Shaped> => {
  const items: unknown[] = []
  let size = 0
  const take = (row: unknown): boolean => {
    const item = toValues(isRecord(row) ? limitSize(row) : row, fields)
    size += measureSize(item) + 1
    // The first row is always included: an empty page would never end.
    if (items.length >= mostRows || (items.length > 0 && size > MAX_LIST_BYTES)) return false
    items.push(item)
    return true
  }
  let isWhole = true
  for await (const chunk of rows) {
    isWhole = chunk.every(take)
    if (!isWhole) break
  }
  const all = await total()
  const next = offset + items.length
  const isTruncated = !isWhole || all === undefined || next < all
  return {
    ...(fields && fields.length > 0 && { fields }),
    items,
    ...(all !== undefined && { total: all }),
    truncated: isTruncated,
    ...(isTruncated && { next_offset: next }),
  }
}

async function* parseRows(rows: AsyncIterable<readonly string[]>): AsyncGenerator<readonly unknown[]> {
  for await (const chunk of rows) yield chunk.map((row): unknown => JSON.parse(row))
}

async function* once(rows: readonly unknown[]): AsyncGenerator<readonly unknown[]> {
  yield rows
}

export type ShapeOptions = {
  readonly fields: Fields
  /** Maximum number of rows of a list. */
  readonly mostRows: number
  /** The number of rows that the operation has skipped already. */
  readonly offset: number
  /** The name of the field that holds the list, in an object with no other field. */
  readonly listIn?: string | undefined
}

export const shape = async (answer: unknown, options: ShapeOptions): Promise<Shaped> => {
  if (answer instanceof WithStatus) return shape(answer.value, options)
  const { fields, mostRows, offset, listIn } = options
  if (answer === undefined) return { done: true }
  if (answer instanceof JsonList)
    return shapeList({ rows: parseRows(answer.parts.rows()), total: answer.parts.total, offset }, fields, mostRows)
  const whole: unknown = answer instanceof JsonText ? JSON.parse(answer.json) : answer
  const value = listIn !== undefined && isRecord(whole) ? whole[listIn] : whole
  if (Array.isArray(value)) {
    const total = value.length === mostRows ? undefined : offset + value.length
    return shapeList({ rows: once(value), total: async () => total, offset }, fields, mostRows)
  }
  const kept = keep(value, fields)
  return isRecord(kept) ? limitSize(kept) : { value: kept }
}
