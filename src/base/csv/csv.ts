/** CSV (RFC 4180), read and written. Browser-safe. */
import { escapeCell, restoreCell } from './csv-cell.ts'

const quoteCell = (value: string): string => {
  const safe = escapeCell(value)
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe
}

export const formatCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(quoteCell).join(',')}\r\n`).join('')

const DELIMITERS = [',', ';', '\t', '|'] as const

/** Returns the commonest delimiter in the first line, outside of quotes: spreadsheets of half of Europe write semicolons. */
const detectDelimiter = (text: string): string => {
  const line = text.slice(0, text.search(/\r?\n|$/)).replace(/"[^"]*"/g, '')
  const [best] = DELIMITERS.toSorted((a, b) => line.split(b).length - line.split(a).length)
  return best ?? ','
}

/** @throws SyntaxError for a quote that is never closed */
export const parseCsv = (input: string): string[][] => {
  const text = input.replace(/^\ufeff/, '')
  const delimiter = detectDelimiter(text)
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  const endRow = () => {
    // A line without anything is none.
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      const opened = at
      for (;;) {
        const close = text.indexOf('"', at + 1)
        if (close === -1)
          throw new SyntaxError(`The quote in line ${text.slice(0, opened).split('\n').length} is never closed`)
        cell += text.slice(at + 1, close)
        at = close + 1
        if (text[at] !== '"') break
        cell += '"'
      }
    }
    const start = at
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
    row.push(restoreCell(cell + text.slice(start, at)))
    if (text[at] === delimiter) {
      at++
      if (at === text.length) row.push('')
      else continue
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    endRow()
  }
  return rows
}
