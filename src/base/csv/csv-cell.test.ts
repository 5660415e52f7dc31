// The content of a CSV cell is text to every spreadsheet and terminal, and survives the round trip.
import { describe, expect, test } from 'bun:test'
import { formatCsvCell, formatCsvLine } from '../../surfaces/http/answer/csv.ts'
import { escapeCell, restoreCell } from './csv-cell.ts'

const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠a']

describe('a formula is led by an apostrophe', () => {
  test.each(FORMULAS)('at the start: %s', (formula) => expect(escapeCell(formula)).toBe(`'${formula}`))

  test.each([';', '\t', '\n', '\r\n', '\r'])('after %j', (separator) => {
    for (const formula of FORMULAS) expect(escapeCell(`a${separator}${formula}`)).toBe(`a${separator}'${formula}`)
  })

  test('behind quotes that a parser of the other kind drops', () => {
    expect(escapeCell('x;"=1+1')).toBe('x;\'"=1+1')
  })

  test.each(['\t=1', '\r=1', '\n=1'])('behind a blank at the start: %j', (text) => {
    expect(escapeCell(text)).toBe(`'${text[0]}'=1`)
  })

  test('in a list as well, each of which a spreadsheet may take for a cell', () => {
    expect(formatCsvCell(['a', '=1'])).toBe("a;'=1")
  })

  test.each(['a-b', 'a = b', 'x; y', 'user@example.net', '- not at all after a blank: a - b'.slice(27), 'two\nlines'])(
    'and %j is no formula',
    (text) => expect(escapeCell(text)).toBe(text),
  )

  test('and a number is a number', () => expect(formatCsvLine([-5, '-5', null])).toBe("-5,'-5,\r\n"))
})

test.each([
  ['a\u001b[31mb', "'a\\x1b[31mb"],
  ['a\u009b\u007f\u202e\u200b', "'a\\x9b\\x7f\\u202e\\u200b"],
  ['C:\\x86\\u0041', 'C:\\x86\\u0041'],
])('controls are made visible: %j', (text, cell) => expect(escapeCell(text)).toBe(cell))

describe('a cell is read again as it was', () => {
  const PIECES = [
    ...["'", '"', '=', '-', '＝', ';', '\t', '\r', '\n', ',', ' ', 'a', '\\x1b', '\\u202e', '\\', '\\x5c'],
    ...['\u001b', '\u009b', '\u007f', '\u202e', '\u200b', 'é', '😀'],
  ]

  test('whatever three pieces it is made of', () => {
    const texts = PIECES.flatMap((a) => PIECES.flatMap((b) => ['', ...PIECES].map((c) => a + b + c)))
    expect(texts.filter((text) => restoreCell(escapeCell(text)) !== text)).toEqual([])
  })

  test('whatever it is made of, by chance', () => {
    const any = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] ?? ''
    const texts = Array.from({ length: 20_000 }, () => Array.from({ length: 8 }, () => any(PIECES)).join(''))
    expect(texts.filter((text) => restoreCell(escapeCell(text)) !== text)).toEqual([])
  })

  test.each(["'plain'", "it's", "'", "a;'b", 'C:\\x1b', "'=", '=1'])(
    'and one that was not made here is as it is: %j',
    (cell) => expect(restoreCell(cell)).toBe(cell === "'=" ? '=' : cell),
  )
})

test('no cell has a formula or a control, whatever three pieces it is made of', () => {
  const PIECES = ["'", '"', '=', '@', ';', '\t', '\r\n', 'a', '\u001b', '\u0085', '\u2066', ' ']
  const texts = PIECES.flatMap((a) => PIECES.flatMap((b) => PIECES.map((c) => `${a}${b}${c}=1`)))
  const isBad = (cell: string): boolean =>
    /[\p{Cc}\u2066]/u.test(cell.replace(/[\t\r\n]/g, '')) ||
    cell.split(/[;\t\r\n]/).some((part) => /^"*[=@]/.test(part))
  expect(texts.map(escapeCell).filter(isBad)).toEqual([])
})
