/** What a caller sent as it is kept: JSON text without secrets, cut to what is enough to know what was done. */
import { isSecretName, REDACTED } from '../../platform/redaction.ts'

export const MAX_CHANGES_BYTES = 10 * 1024

/** What JSON says as it is, and most of what there is: far quicker than to have it looked at for more. */
const PLAIN = /^[ !#-[\]-~]{0,1000}$/

/** JSON that grows up to a limit, so that a body of 16 MiB costs no more than one of 10 KiB. */
class BoundedJson {
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
  addString(value: string): void {
    if (PLAIN.test(value)) this.add(`"${value}"`)
    // Of a long one no more than what can be kept.
    else this.add(JSON.stringify(value.length > this.#limit ? value.slice(0, this.#limit + 1) : value))
  }
}

type NameKind = 'plain' | 'secret' | 'headers'

const judgeName = (name: string): NameKind => {
  if (isSecretName(name)) return 'secret'
  // Tokens of other services, more often than not, and under any name.
  return /^headers$/i.test(name) ? 'headers' : 'plain'
}

/** Names remembered: all contracts have a few hundred, and there are more only where somebody sends whatever he likes. */
const MAX_KINDS = 2000
const kinds = new Map<string, NameKind>()

const kindOf = (name: string): NameKind => {
  const known = kinds.get(name)
  if (known) return known
  const kind = judgeName(name)
  if (kinds.size < MAX_KINDS) kinds.set(name, kind)
  return kind
}

/** @param all what every field is, whatever its name */
const addFields = (out: BoundedJson, fields: object, all?: NameKind): void => {
  let separator = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (out.isFull) return
    out.add(separator)
    separator = ','
    out.addString(name)
    out.add(':')
    addField(out, all ?? kindOf(name), value)
  }
  out.add(separator === '{' ? '{}' : '}')
}

const addField = (out: BoundedJson, kind: NameKind, value: unknown): void => {
  if (kind === 'secret') out.addString(REDACTED)
  else if (kind === 'headers' && typeof value === 'object' && value !== null) addFields(out, value, 'secret')
  else addValue(out, value)
}

const addList = (out: BoundedJson, list: readonly unknown[]): void => {
  out.add('[')
  for (const [i, item] of list.entries()) {
    if (out.isFull) return
    if (i > 0) out.add(',')
    addValue(out, item)
  }
  out.add(']')
}

const addValue = (out: BoundedJson, value: unknown): void => {
  if (typeof value === 'string') out.addString(value)
  else if (Array.isArray(value)) addList(out, value)
  else if (typeof value === 'object' && value !== null) addFields(out, value)
  else out.add(JSON.stringify(value) ?? 'null')
}

/** The longest beginning of the text that takes at most so many bytes in UTF-8, without a part of a character. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  // No character takes more than three bytes for each of its UTF-16 units.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
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
  const out = new BoundedJson(MAX_CHANGES_BYTES)
  addValue(out, sent)
  return cutToBytes(out.text, MAX_CHANGES_BYTES)
}
