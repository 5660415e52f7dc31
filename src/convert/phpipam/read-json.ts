/** Reads answers of the API of phpIPAM: a list, or an envelope with `data`, for each table. */

import { toStorable } from '../../contract/storable.ts'
import { createFileError } from '../converter.ts'
import type { JsonFile } from '../json-file.ts'
import { ObjectLimit } from '../object-limit.ts'
import { getFieldName, getTableName, isReadTable, type Row, type Tables } from './tables.ts'

/** Values that the API derives from others. */
const DERIVED = new Set(['links', 'usage', 'calculation', 'gateway', 'gatewayId'])

const toText = (value: unknown): string => {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value !== 'object') return String(value)
  // An object in place of its number.
  const { id } = value as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? String(id) : toStorable(JSON.stringify(value))
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const toRow = (table: string, source: Record<string, unknown>): Row => {
  const row: Row = {}
  for (const [name, value] of Object.entries(source)) {
    if (DERIVED.has(name) || isEmpty(value) || name === '__proto__') continue
    // Custom fields are nested if the application of the API says so.
    if (name === 'custom_fields' && typeof value === 'object') Object.assign(row, toRow(table, value as object as Row))
    else row[getFieldName(table, name)] = toText(value)
  }
  return row
}

class JsonReader {
  readonly #limit = new ObjectLimit()
  readonly tables: Tables = new Map()
  readonly unread = new Map<string, number>()
  readonly #file: JsonFile

  constructor(file: JsonFile) {
    this.#file = file
  }

  read(): void {
    for (const { key, at } of this.#file.members(this.#file.start)) this.#table(key, at)
    this.#file.checkEnd(this.#file.start)
  }

  #table(name: string, at: number): void {
    if (this.#file.isArray(at)) {
      this.#rows(getTableName(name), at)
      return
    }
    if (!this.#file.isObject(at))
      throw createFileError(`byte ${at}`, `${JSON.stringify(name.slice(0, 64))} is no table of phpIPAM`)
    let message: unknown = 'has no data'
    let hasData = false
    for (const { key, at: member } of this.#file.members(at)) {
      if (key === 'data' && this.#file.isArray(member)) {
        this.#rows(getTableName(name), member)
        hasData = true
      } else if (key === 'message') message = this.#file.value(member)
      // Read, so that a damaged value is found.
      else this.#file.value(member)
    }
    if (!hasData) throw createFileError(`byte ${at}`, `${name.slice(0, 64)}: ${String(message).slice(0, 200)}`)
  }

  #rows(table: string, at: number): void {
    const rows = this.tables.get(table) ?? []
    for (const element of this.#file.elements(at)) {
      const value = this.#file.value(element)
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw createFileError(`byte ${element}`, `is no row of ${table}`)
      this.#limit.add()
      // Checked to be an object.
      if (isReadTable(table)) rows.push(toRow(table, value as Record<string, unknown>))
      else this.unread.set(table, (this.unread.get(table) ?? 0) + 1)
    }
    if (isReadTable(table)) this.tables.set(table, rows)
  }
}

export const readJson = (file: JsonFile): JsonReader => {
  const reader = new JsonReader(file)
  reader.read()
  return reader
}
