/** The pattern that the document has for a username is about the same texts as the check. */
import { expect, test } from 'bun:test'
import { VISIBLE_TEXT } from '../../contract/fields/text-rules.ts'
import { Username } from './username.ts'

const pattern = new RegExp(VISIBLE_TEXT, 'u')
/** Patterns name no character above U+FFFF; unpaired surrogates are in no text of a request. */
const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  one.isWellFormed(),
)

test.each([
  ['alone', (one: string) => one],
  ['between letters', (one: string) => `a${one}b`],
  ['at both ends', (one: string) => `${one}a${one}`],
])('it judges each character %s as the check does', (_, place) => {
  const differing = characters.map(place).filter((text) => pattern.test(text) !== Username.safeParse(text).success)
  expect(differing).toEqual([])
})
