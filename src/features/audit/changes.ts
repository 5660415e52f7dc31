/** What a caller sent as it is kept: JSON text without secrets, cut to what is enough to know what was done. */
import { isSecretName, REDACTED } from '../../platform/redaction.ts'

export const MAX_CHANGES_BYTES = 10 * 1024

/** Collects text up to a limit, so that a body of 16 MiB costs no more than one of 10 KiB. */
class BoundedText {
  text = ''
  readonly #limit: number
  constructor(limit: number) {
    this.#limit = limit
  }
  get isFull(): boolean {
    return this.text.length > this.#limit
  }
  add(part: string): void {
    if (!this.isFull) this.text += part
  }
  /** A string as JSON. Of a long one no more than what can be kept; what JSON can't say as it is, it escapes. */
  addString(value: string): void {
    this.add(JSON.stringify(value.length > this.#limit ? value.slice(0, this.#limit + 1) : value))
  }
}

type Entries = Iterable<readonly [string, unknown]>

const addFields = (out: BoundedText, entries: Entries, isSecret: (name: string) => boolean): void => {
  let separator = '{'
  for (const [name, value] of entries) {
    if (out.isFull) return
    out.add(separator)
    separator = ','
    out.addString(name)
    out.add(':')
    if (isSecret(name)) out.addString(REDACTED)
    // Tokens of other services, more often than not, and under any name.
    else if (/^headers$/i.test(name)) addHeaders(out, value)
    else addValue(out, value)
  }
  out.add(separator === '{' ? '{}' : '}')
}

const addHeaders = (out: BoundedText, headers: unknown): void => {
  if (typeof headers === 'object' && headers !== null) addFields(out, Object.entries(headers), () => true)
  else addValue(out, headers)
}

const addValue = (out: BoundedText, value: unknown): void => {
  if (typeof value === 'string') out.addString(value)
  else if (Array.isArray(value)) {
    out.add('[')
    for (const [i, item] of value.entries()) {
      if (out.isFull) return
      if (i > 0) out.add(',')
      addValue(out, item)
    }
    out.add(']')
  } else if (typeof value === 'object' && value !== null)
    addFields(
      out,
      Object.entries(value).filter(([, inner]) => inner !== undefined),
      isSecretName,
    )
  else out.add(JSON.stringify(value) ?? 'null')
}

/** The longest beginning of the text that takes at most so many bytes in UTF-8, without a part of a character. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const bytes = Buffer.from(text)
  let end = maxBytes
  // The bytes of a character behind its first one begin with the bits 10 (RFC 3629).
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/**
 * @returns '' for nothing
 * @example changesOf({ name: 'a', password: 'b' }) // '{"name":"a","password":"[redacted]"}'
 */
export const changesOf = (sent: unknown): string => {
  if (sent === undefined) return ''
  const out = new BoundedText(MAX_CHANGES_BYTES)
  addValue(out, sent)
  return cutToBytes(out.text, MAX_CHANGES_BYTES)
}
