/** The rules for headers that a webhook may add. Browser-safe. */

export const MAX_HEADERS = 20
/** Replaces each value in an answer. When it is sent back, the stored value of that name is kept. */
export const MASK = '***'
const MAX_VALUE = 4096

/** A token: RFC 9110 section 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
/** Visible characters, with blanks between them: RFC 9110 section 5.5. */
const VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff\t]*[\x21-\x7e\x80-\xff])?)?$/

/** The headers that Plat sets, and the headers of a single connection: RFC 9110 section 7.6.1. */
const OURS = 'host|content-.*|x-service-.*|user-agent'
const HOP_BY_HOP = 'connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|http2-settings'
const IS_OURS = new RegExp(`^(?:${OURS})$`, 'i')
const IS_HOP_BY_HOP = new RegExp(`^(?:${HOP_BY_HOP})$`, 'i')

/** Converts a pattern to any case, because a JSON schema knows no flags. */
const toAnyCase = (pattern: string): string =>
  pattern.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)

/** The rules as keywords of JSON Schema. It cannot say that names are compared without case. */
export const HEADERS_SCHEMA = {
  maxProperties: MAX_HEADERS,
  propertyNames: { pattern: `^(?!(?:__proto__|${toAnyCase(`${OURS}|${HOP_BY_HOP}`)})$)${NAME.source.slice(1)}` },
  additionalProperties: { type: 'string', maxLength: MAX_VALUE, pattern: VALUE.source },
}

/** Returns a name that repeats an earlier one. Names are compared without case (RFC 9110 section 5.1). */
export const findRepeatedName = (names: readonly string[]): string | undefined => {
  const lower = names.map((name) => name.toLowerCase())
  return names.find((_, at) => lower.indexOf(lower[at] ?? '') !== at)
}

/** Returns the problem of a header; undefined for a valid one. */
export const checkHeader = (name: string, value: string): string | undefined => {
  if (!NAME.test(name)) return 'is not a valid header name'
  if (IS_OURS.test(name)) return 'is set by Plat'
  if (IS_HOP_BY_HOP.test(name)) return 'belongs to the connection'
  if (value.length > MAX_VALUE) return `must be at most ${MAX_VALUE} characters`
  if (!VALUE.test(value)) return 'must be a line of text without control characters'
  return undefined
}
