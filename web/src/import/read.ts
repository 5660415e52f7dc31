/** Pasted or dropped text, as columns and rows. */
import { parseCsv } from '../../../src/base/csv/csv.ts'

export type Source = {
  readonly format: 'CSV' | 'JSON'
  readonly columns: readonly string[]
  /** Texts from CSV, any value from JSON; undefined where a row has no such field. */
  readonly rows: readonly (readonly unknown[])[]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fromObjects = (objects: readonly unknown[]): Source => {
  const bad = objects.findIndex((one) => !isObject(one))
  if (bad !== -1) throw new SyntaxError(`Row ${bad + 1} is no object`)
  const rows = objects.filter(isObject)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return {
    format: 'JSON',
    columns,
    rows: rows.map((row) => columns.map((column) => (Object.hasOwn(row, column) ? row[column] : undefined))),
  }
}

const parseLine = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    throw new SyntaxError(`Line ${number + 1} is not valid JSON`)
  }
}

const readJson = (text: string): Source => {
  if (text.startsWith('[')) return fromObjects(JSON.parse(text) as readonly unknown[])
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // One object over many lines, or one in each line.
  if (lines.length > 1 && !/\}\s*$/.test(lines[0] ?? '')) return fromObjects([JSON.parse(text)])
  return fromObjects(lines.map(parseLine))
}

/** @throws SyntaxError with words for a person */
export const readSource = (input: string): Source => {
  const text = input.replace(/^\ufeff/, '').trim()
  if (text === '') throw new SyntaxError('It is empty')
  if (/^[[{]/.test(text)) return readJson(text)
  const [columns = [], ...rows] = parseCsv(text)
  if (rows.length === 0) throw new SyntaxError('It has only one line: the first line names the columns')
  const wide = rows.findIndex((row) => row.length > columns.length)
  if (wide !== -1) throw new SyntaxError(`Row ${wide + 1} has more cells than there are columns`)
  return { format: 'CSV', columns: columns.map((column) => column.trim()), rows }
}
