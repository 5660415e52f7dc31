/** Records the input of a call as JSON text, without secrets and with a limited length. */
import type { z } from 'zod'
import { isSecretName, REDACTED } from '../../base/runtime/redaction.ts'
import { isRecord } from '../../contract/unknown.ts'
import { type InputSchema, toInputJsonSchema } from '../../contract/validate.ts'
import { redactUrl } from './masked-url.ts'

export const MAX_CHANGES_BYTES = 10 * 1024

/** Characters that JSON does not escape. Most strings match, and skip the slower `JSON.stringify`. */
const PLAIN = /^[ !#-[\]-~]{0,1000}$/

/** Builds JSON text up to a limit, so that a body of 16 MiB costs no more than one of 10 KiB. */
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
    // Cuts a long value to the limit before it is escaped.
    else this.add(JSON.stringify(value.length > this.#limit ? value.slice(0, this.#limit + 1) : value))
  }
}

type NameKind = 'plain' | 'secret' | 'headers' | 'url'

const classifyName = (name: string): NameKind => {
  if (isSecretName(name)) return 'secret'
  // Headers often contain tokens of other services, under any name.
  if (/^headers$/i.test(name)) return 'headers'
  return /^url$|_url$/i.test(name) ? 'url' : 'plain'
}

/** The largest number of cached names: all contracts have a few hundred, and clients may invent more. */
const MAX_KINDS = 2000
const kinds = new Map<string, NameKind>()

const getNameKind = (name: string): NameKind => {
  const known = kinds.get(name)
  if (known) return known
  const kind = classifyName(name)
  if (kinds.size < MAX_KINDS) kinds.set(name, kind)
  return kind
}

/** Undefined if the contract is unknown: the whole value is recorded. */
type Contract = InputSchema | undefined

/** Selects the option of a union that a value matches; among objects the one with most known fields. */
const selectOption = (schema: Contract, value: object): Contract => {
  if (!schema?.anyOf) return schema
  const wanted = Array.isArray(value) ? 'array' : 'object'
  const options = schema.anyOf.map((option) => selectOption(option, value)).filter((option) => option?.type === wanted)
  const known = (option: Contract) => Object.keys(value).filter((name) => option?.properties?.[name]).length
  return options.toSorted((one, other) => known(other) - known(one))[0] ?? { type: 'none' }
}

const isSchema = (value: unknown): value is InputSchema => typeof value === 'object' && value !== null

/** Returns the schema of a field; undefined if the contract has no such field. */
const getFieldSchema = (schema: InputSchema, name: string): InputSchema | undefined => {
  // An object of any form, such as a row of an estate document.
  if (Object.keys(schema).length === 0) return schema
  if (schema.properties) return Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
  // A record with arbitrary names, such as the headers of a webhook.
  return isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined
}

type Fields = {
  readonly contract: Contract /** The kind of all fields, independent of their names. */
  readonly all?: NameKind
}

const addFields = (out: BoundedJson, fields: object, { contract, all }: Fields): void => {
  let separator = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (out.isFull) return
    const field = contract && getFieldSchema(contract, name)
    if (contract && !field) continue
    out.add(separator)
    separator = ','
    out.addString(name)
    out.add(':')
    addField(out, value, { kind: all ?? getNameKind(name), contract: field })
  }
  out.add(separator === '{' ? '{}' : '}')
}

type Field = { readonly kind: NameKind; readonly contract: Contract }

const addField = (out: BoundedJson, value: unknown, { kind, contract }: Field): void => {
  if (kind === 'plain' || (kind !== 'secret' && value === null)) addValue(out, value, contract)
  else if (kind === 'url' && typeof value === 'string') out.addString(redactUrl(value))
  else if (kind === 'headers' && isRecord(value))
    addFields(out, value, { contract: selectOption(contract, value), all: 'secret' })
  // A value of another type is refused, but may still contain a secret.
  else out.addString(REDACTED)
}

const addList = (out: BoundedJson, list: readonly unknown[], contract: Contract): void => {
  out.add('[')
  for (const [i, item] of list.entries()) {
    if (out.isFull) return
    if (i > 0) out.add(',')
    addValue(out, item, contract && (contract.items ?? { type: 'none' }))
  }
  out.add(']')
}

const addValue = (out: BoundedJson, value: unknown, contract: Contract): void => {
  if (typeof value === 'string') out.addString(value)
  else if (typeof value !== 'object' || value === null) out.add(JSON.stringify(value) ?? 'null')
  else if (Array.isArray(value)) addList(out, value, selectOption(contract, value))
  else addFields(out, value, { contract: selectOption(contract, value) })
}

/** Returns the longest prefix of the text that takes at most `maxBytes` in UTF-8, without splitting a character. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const bytes = Buffer.from(text)
  let end = maxBytes
  // Continuation bytes begin with the bits 10 (RFC 3629).
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/**
 * @param schema of the input; fields outside it are left out, because they may be secrets
 * @returns '' for no input
 * @example formatChanges({ name: 'a', password: 'b' }) // '{"name":"a","password":"[redacted]"}'
 */
export const formatChanges = (sent: unknown, schema?: z.ZodType): string => {
  if (sent === undefined) return ''
  const out = new BoundedJson(MAX_CHANGES_BYTES)
  addValue(out, sent, schema && toInputJsonSchema(schema))
  return cutToBytes(out.text, MAX_CHANGES_BYTES)
}
