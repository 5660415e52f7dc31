/** Masks the secrets of a webhook in the answers of its target: a target that echoes its request must not show them to readers of deliveries. */
import { MASK } from './header-rules.ts'

/** Shorter texts also occur in answers by chance. */
const MIN_CHARS = 8

/** Returns the texts to mask, longest first: each value and each of its words, such as the token in `Bearer token`. */
export const listTextsToMask = (values: readonly string[]): readonly string[] =>
  [...new Set(values.flatMap((value) => [value, ...value.split(/\s+/)]))]
    .filter((text) => text.length >= MIN_CHARS)
    .sort((a, b) => b.length - a.length)

/** @returns the same array if it contains none of the texts */
export const redactEchoes = (body: Uint8Array, texts: readonly string[]): Uint8Array => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!texts.some((text) => bytes.includes(text))) return body
  return Buffer.from(texts.reduce((all, text) => all.replaceAll(text, MASK), bytes.toString()))
}
