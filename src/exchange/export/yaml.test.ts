import { expect, test } from 'bun:test'
import { parse } from 'yaml'
import { formatYamlRows } from './route.ts'

const LAST = 0x10_ffff
/** The characters of one text. */
const AT_ONCE = 512

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

const listCharacters = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
    .filter((code) => code <= LAST && !isSurrogate(code))
    .map((code) => String.fromCodePoint(code))
    .filter((one) => !/[\p{Cn}\p{Co}]/u.test(one))

/** Returns the texts after an export and its reading, twice. */
const readBack = (texts: readonly string[]): readonly string[] => {
  const rows = texts.map((text) => ({ text }))
  const read = (parse(`rows:\n${formatYamlRows(rows)}`) as { rows: typeof rows }).rows
  return (parse(`rows:\n${formatYamlRows(read)}`) as { rows: typeof rows }).rows.map(({ text }) => text)
}

test('a text with any assigned character of Unicode is the same after two exports', () => {
  for (let from = 0; from <= LAST; from += AT_ONCE) {
    const all = listCharacters(from, from + AT_ONCE - 1)
    const texts = [all.map((one) => `${one} x${one}y ${one}`).join('\n'), all.map((one) => `x${one} `).join('')]
    expect(readBack(texts)).toEqual(texts)
  }
})

test('a character of ASCII, white space or of no width begins, breaks and ends a text', () => {
  const special = listCharacters(0, 0xffff).filter((one) => /[\p{ASCII}\p{Z}\p{Cc}\p{Cf}]/u.test(one))
  const texts = special.flatMap((one) => [
    one,
    `a${one}b`,
    `${one} x ${one}`,
    `x\n${one}y\n\n  ${one}\nz${one}`,
    `${one}\n`,
  ])
  expect(readBack(texts)).toEqual(texts)
})
