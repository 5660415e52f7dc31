/** Parses the JSON of an answer from a system that is not trusted. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const MAX_DEPTH = 64

/** Returns true for JSON with more than `most` lists and objects in each other. Reads no further than the first of them. */
const isDeeperThan = (bytes: Uint8Array, most: number): boolean => {
  let depth = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > most) return true
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
  }
  return false
}

export type ParsedAnswer =
  | { readonly isJson: true; readonly value: unknown }
  | { readonly isJson: false; readonly problem: string }

/** Never throws: a problem is a part of a sentence, such as `is no JSON`. */
export const parseAnswer = (bytes: Uint8Array): ParsedAnswer => {
  if (isDeeperThan(bytes, MAX_DEPTH)) return { isJson: false, problem: `is nested deeper than ${MAX_DEPTH}` }
  try {
    return { isJson: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch {
    return { isJson: false, problem: 'is no JSON, or is cut off' }
  }
}
