/** CSV (RFC 4180), read and written. Browser-safe. */
import { escapeCell, restoreCell } from './csv-cell.ts'

const quoteCell = (value: string): string => {
  const safe = escapeCell(value)
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe
}

export const formatCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(quoteCell).join(',')}\r\n`).join('')

const DELIMITERS = [',', ';', '\t', '|'] as const

/** The lines by which the delimiter is known. */
const SAMPLE_LINES = 20
const SAMPLE_LENGTH = 64 * 1024

/** Excel writes and reads the delimiter in a line of its own. */
const SEPARATOR_LINE = /^"?sep=(.)"?[ ]*(?:\r\n|\r|\n|$)/i

const count = (line: string, delimiter: string): number => line.split(delimiter).length - 1

/** Returns the number of lines with the commonest count of a delimiter; lines without it do not count. */
const countAlike = (lines: readonly string[], delimiter: string): number => {
  const alike = new Map<number, number>()
  for (const line of lines) {
    const n = count(line, delimiter)
    if (n > 0) alike.set(n, (alike.get(n) ?? 0) + 1)
  }
  return Math.max(0, ...alike.values())
}

/**
 * Returns the commonest delimiter in the first line, outside of quotes: spreadsheets of half of Europe write semicolons. A first line
 * that the other lines do not follow is a title; then the delimiter with the most lines of equal length counts.
 */
const detectDelimiter = (text: string): string => {
  const lines = text
    .slice(0, SAMPLE_LENGTH)
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\r|\n/, SAMPLE_LINES)
    .filter((line) => line.trim() !== '')
  const [first = '', ...others] = lines
  const [best = ','] = DELIMITERS.toSorted((a, b) => count(first, b) - count(first, a))
  const followers = others.filter((line) => line.includes(best)).length
  if (first.includes(best) && followers * 2 >= others.length) return best
  const [commonest = best] = DELIMITERS.toSorted((a, b) => countAlike(lines, b) - countAlike(lines, a))
  return countAlike(lines, commonest) > 0 ? commonest : best
}

/** The cells of a sheet, without empty rows. */
export type Cells = {
  readonly rows: string[][]
  /** The line in which each row begins, or the number of a row in a workbook; 1 is the first. */
  readonly numbers: number[]
  /** The unit of the numbers. */
  readonly unit: 'line' | 'row'
  /** Of a workbook with several sheets. */
  readonly sheet?: ReadSheet
}

/** The sheet of a workbook that is read, and the other ones. */
export type ReadSheet = {
  readonly name: string
  readonly others: readonly { readonly name: string; readonly isHidden: boolean }[]
}

const QUOTE = 34
const SPACE = 32
const LINE_FEED = 10
const RETURN = 13

const restore = (cell: string): string => (cell.includes("'") ? restoreCell(cell) : cell)

const countLines = (text: string): number => text.split(/\r\n|\r|\n/).length - 1

/**
 * Reads cells with the lines of their rows. Blanks around a cell without quotes are no part of it.
 * @throws SyntaxError for a quote that is never closed
 */
export const parseCells = (input: string): Cells => {
  const marked = SEPARATOR_LINE.exec(input.slice(0, 100).replace(/^\ufeff/, ''))
  const bare = input.replace(/^\ufeff/, '')
  const text = marked ? bare.slice(marked[0].length) : bare
  const delimiter = marked?.[1] ?? detectDelimiter(text)
  const mark = delimiter.charCodeAt(0)
  const rows: string[][] = []
  const numbers: number[] = []
  let row: string[] = []
  let line = marked ? 2 : 1
  let begun = line
  let at = 0
  const endRow = () => {
    // A line without anything is none.
    if (row.length > 1 || row[0] !== '') {
      rows.push(row)
      numbers.push(begun)
    }
    row = []
    line++
    begun = line
  }
  while (at < text.length) {
    let start = at
    while (text.charCodeAt(start) === SPACE && mark !== SPACE) start++
    let quoted: string | undefined
    if (text.charCodeAt(start) === QUOTE) {
      at = start
      const openedIn = line
      for (;;) {
        const close = text.indexOf('"', at + 1)
        if (close === -1) throw new SyntaxError(`The quote in line ${openedIn} is never closed`)
        const piece = text.slice(at + 1, close)
        if (piece.includes('\n') || piece.includes('\r')) line += countLines(piece)
        quoted = quoted === undefined ? piece : `${quoted}"${piece}`
        at = close + 1
        if (text.charCodeAt(at) !== QUOTE) break
      }
      start = at
    }
    let code = text.charCodeAt(at)
    while (at < text.length && code !== mark && code !== LINE_FEED && code !== RETURN) code = text.charCodeAt(++at)
    const plain = text.slice(start, at)
    if (quoted === undefined) row.push(restore(plain.trim()))
    else row.push(restore(plain === '' ? quoted : quoted + plain.trimEnd()))
    if (at < text.length && code === mark) {
      at++
      if (at === text.length) row.push('')
      else continue
    }
    if (text.charCodeAt(at) === RETURN) at++
    if (text.charCodeAt(at) === LINE_FEED) at++
    endRow()
  }
  return { rows, numbers, unit: 'line' }
}

/** @throws SyntaxError for a quote that is never closed */
export const parseCsv = (input: string): string[][] => parseCells(input).rows
