/** Reads the COPY blocks of a plain `pg_dump`, in one pass over the bytes. */

import { toStorable } from '../../../contract/storable.ts'
import { createFileError } from '../../converter.ts'
import { ObjectLimit } from '../../object-limit.ts'
import { CONTENT_TYPE, getTableKind, isDerivedOf, isPluginObject, isRead } from './kinds.ts'
import {
  addObject,
  CUSTOM_FIELDS,
  countIn,
  getFieldName,
  isBoolean,
  isEmptyOf,
  type NetboxSource,
  NUMBERS,
  type Objects,
  parseNumber,
  toStorableValue,
} from './objects.ts'

const LINE_FEED = 0x0a
const TAB = 0x09
const BACKSLASH = 0x5c
const COPY = /^COPY (?:(?:"[^"]+"|\w+)\.)?(?:"([^"]+)"|(\w+)) \((.*)\) FROM stdin;\r?$/
/** Columns that end in `_id` and are no references. */
const PLAIN_IDS = new Set(
  (
    'assigned_object_id auth_id component_id facility_id interface_id object_id origin_id part_id scope_id xconnect_id ' +
    'termination_a_id termination_b_id termination_id parent_object_id member_id destination_id'
  ).split(' '),
)
/** Columns of some tables that end in `_id` and are no references. */
const PLAIN_IDS_OF_KINDS = new Set([
  'circuits.providernetwork.service_id',
  'ipam.fhrpgroup.group_id',
  'vpn.tunnel.tunnel_id',
])
/** Columns of texts that may look like numbers. */
const TEXT_IDS = new Set(['facility_id', 'part_id', 'service_id', 'xconnect_id'])
const JSON_COLUMNS = new Set([CUSTOM_FIELDS, 'default', 'local_context_data', 'data', 'parameters', 'napalm_args'])

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Replaces the escapes of the text format of COPY, in the manual of PostgreSQL. */
const replaceEscapes = (text: string): string =>
  text.replace(/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))/gs, (_, octal, hex, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    return ESCAPES[other] ?? other
  })

type Column = {
  readonly field: string
  readonly read: (text: string) => unknown
  /** The place of the value before, which is often the same and then shared. */
  at: number
  end: number
  value: unknown
}

const parseJson = (text: string): unknown => {
  try {
    return toStorableValue(JSON.parse(text))
  } catch {
    return text
  }
}

/** True for a table of pairs of the plugin. */
const isPair = (kind: string): boolean => /model_\w+$/.test(kind)

const getReader = (kind: string, column: string, isReference: boolean): Column['read'] => {
  if (isPluginObject(kind) && column !== 'id' && !isReference && !isPair(kind)) return toStorable
  if (!isReference && TEXT_IDS.has(column)) return toStorable
  if (isBoolean(column)) return (text) => text === 't'
  if (JSON_COLUMNS.has(column)) return parseJson
  if (NUMBERS.has(column) || column === 'id' || column === 'scope_id' || column.endsWith('_id'))
    return (text) => parseNumber(text) ?? text
  return toStorable
}

/** Returns how to read each column of a table; undefined for one that says nothing. */
const parseColumns = (kind: string, names: string): (Column | undefined)[] =>
  names.split(', ').map((quoted) => {
    const name = quoted.replace(/^"(.*)"$/, '$1')
    if (!/^[A-Za-z]\w*$/.test(name) || isDerivedOf(kind, name)) return undefined
    const isReference = name.endsWith('_id') && !PLAIN_IDS.has(name) && !PLAIN_IDS_OF_KINDS.has(`${kind}.${name}`)
    return {
      field: getFieldName(kind, isReference ? name.slice(0, -3) : name),
      read: getReader(kind, name, isReference),
      at: 0,
      end: 0,
      value: undefined,
    }
  })

class Dump {
  readonly #limit = new ObjectLimit()
  readonly objects: Objects = new Map()
  readonly unread = new Map<string, number>()
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads the rows of a table, and returns the position behind their end. */
  table(header: RegExpExecArray, start: number): number {
    const [, quoted, plain, names = ''] = header
    const kind = getTableKind(quoted ?? plain ?? '')
    const columns = isRead(kind) ? parseColumns(kind, names) : undefined
    for (let at = start; ; ) {
      const end = this.#bytes.indexOf(LINE_FEED, at)
      if (end < 0) throw createFileError(`byte ${this.#bytes.length}`, `the file ends inside the rows of ${kind}`)
      if (this.#isLast(at, end)) return end + 1
      if (!columns) countIn(this.unread, kind)
      else {
        this.#limit.add()
        addObject(this.objects, kind, this.#row(kind, columns, { at, end }))
      }
      at = end + 1
    }
  }

  #isLast(at: number, end: number): boolean {
    return this.#bytes[at] === BACKSLASH && this.#bytes[at + 1] === 0x2e && end - at <= 3
  }

  /** Reads one line. Most values are empty or equal the values of the line before, and make no text. */
  #row(kind: string, columns: readonly (Column | undefined)[], line: { readonly at: number; readonly end: number }) {
    const bytes = this.#bytes
    const row: Record<string, unknown> = {}
    let i = 0
    for (let at = line.at; at <= line.end; i++) {
      let end = at
      while (end < line.end && bytes[end] !== TAB) end++
      const column = columns[i]
      if (column && end > at && !this.#isNull(at, end)) {
        if (!this.#isSame(column, at, end)) this.#read(column, at, end)
        if (!isEmptyOf(kind, column.field, column.value)) row[column.field] = column.value
      }
      at = end + 1
    }
    if (i !== columns.length) throw createFileError(`byte ${line.at}`, `a row has ${i} of ${columns.length} columns`)
    return row
  }

  #isNull(at: number, end: number): boolean {
    return end - at === 2 && this.#bytes[at] === BACKSLASH && this.#bytes[at + 1] === 0x4e
  }

  #isSame(column: Column, at: number, end: number): boolean {
    if (column.end - column.at !== end - at) return false
    for (let i = 0; i < end - at; i++) if (this.#bytes[column.at + i] !== this.#bytes[at + i]) return false
    return true
  }

  #read(column: Column, at: number, end: number): void {
    const text = this.#bytes.toString('utf8', at, end)
    column.value = column.read(text.includes('\\') ? replaceEscapes(text) : text)
    column.at = at
    column.end = end
  }
}

export const isPgDump = (bytes: Buffer): boolean =>
  bytes.subarray(0, 65_536).includes('PostgreSQL database dump') || COPY.test(getLineAt(bytes, bytes.indexOf('COPY ')))

const getLineAt = (bytes: Buffer, at: number): string => {
  if (at < 0) return ''
  const end = bytes.indexOf(LINE_FEED, at)
  return bytes.toString('utf8', at, Math.min(end < 0 ? bytes.length : end, at + 65_536))
}

const ENCODING = /^SET client_encoding = '([^']*)';/m

export const checkEncoding = (bytes: Buffer): void => {
  const encoding = ENCODING.exec(bytes.toString('latin1', 0, 65_536))?.[1]
  if (encoding !== undefined && !/^(?:utf-?8|unicode|sql_ascii)$/i.test(encoding))
    throw createFileError('the file', `has the encoding ${encoding}; run pg_dump with --encoding=UTF8`)
}

export const readPgDump = (bytes: Buffer): NetboxSource => {
  const dump = new Dump(bytes)
  let at = 0
  let tables = 0
  for (;;) {
    const found =
      at === 0 && bytes.subarray(0, 5).toString() === 'COPY ' ? 0 : bytes.indexOf('\nCOPY ', Math.max(at - 1, 0))
    if (found < 0) break
    const start = found === 0 && bytes[0] !== LINE_FEED ? 0 : found + 1
    const header = getLineAt(bytes, start)
    at = start + Buffer.byteLength(header) + 1
    const match = COPY.exec(header)
    if (!match) continue
    tables++
    at = dump.table(match, at)
  }
  if (tables === 0)
    throw createFileError(
      'the file',
      'is a dump without COPY blocks; run pg_dump without --inserts and without --schema-only',
    )
  if (!bytes.includes('PostgreSQL database dump complete', at))
    throw createFileError(`byte ${bytes.length}`, 'the file ends before the end of the dump')
  if (!dump.objects.has(CONTENT_TYPE)) throw createFileError('the file', 'has no table django_content_type')
  return { form: 'pg_dump', objects: dump.objects, briefs: new Map(), unread: dump.unread }
}
