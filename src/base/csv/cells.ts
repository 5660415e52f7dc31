/** The values of fields as cells of a CSV. Browser-safe. */

/**
 * How a field is written in a CSV. list: with `;` between, or JSON. addresses: the same, of addresses or objects. record:
 * as JSON.
 */
export type CellKind = 'text' | 'number' | 'list' | 'addresses' | 'record'

/** True for a value that is unambiguous in a list without quotes. */
const isPlain = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value === value.trim() && !/[;[\]\n\r]/.test(value)

/** Returns a value as the cell of a CSV. Reading it as its kind gives the value again. */
export const formatCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) {
    if (value.length === 0) return ''
    return value.every(isPlain) ? value.join(';') : JSON.stringify(value)
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const parseList = (text: string): readonly unknown[] => {
  if (text.startsWith('[')) {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed)) return parsed
  }
  return text
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** @throws SyntaxError for invalid JSON */
export const readCell = (kind: CellKind, cell: string): unknown => {
  const text = cell.trim()
  if (kind === 'text') return cell
  if (kind === 'number') return text === '' ? null : Number.isNaN(Number(text)) ? text : Number(text)
  if (kind === 'record') return text === '' ? null : JSON.parse(text)
  const list = text === '' ? [] : parseList(text)
  if (kind === 'list') return list
  // People write addresses with commas and blanks between as well; no address has either.
  return list.flatMap((one) => (typeof one === 'string' ? one.split(/[\s,]+/).map((ip) => ({ ip })) : [one]))
}
