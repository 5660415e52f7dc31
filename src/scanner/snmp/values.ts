/** Reads the values that SNMP agents send. Pure. */
import { formatIpv4, parseIpv4 } from '../../net/ipv4-text.ts'
import { isMulticastMac } from '../../net/mac.ts'
import { cleanText, decode } from '../services/clean-text.ts'
import type { Row } from './session.ts'

/** Agents written in C send the NUL that ends a text, and pad texts of a fixed length with it. */
const NUL_AT_END = /\0+$/

export const toText = (value: unknown, bytes = 255): string => {
  const text = value instanceof Uint8Array ? decode(value) : typeof value === 'string' ? value : ''
  return cleanText(text.replace(NUL_AT_END, ''), bytes)
}

export const toNumber = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : 0

const formatMac = (octets: Uint8Array): string =>
  (Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex').match(/../g) ?? []).join(':')

/** Undefined for text that is no MAC, or no MAC of a device. */
export const toMac = (value: unknown): string | undefined => {
  if (!(value instanceof Uint8Array) || value.length !== 6) return undefined
  const mac = formatMac(value)
  return mac === '00:00:00:00:00:00' || isMulticastMac(mac) ? undefined : mac
}

/** Returns the numbers of an object identifier below a column. */
export const getSuffix = (oid: string, column: string): number[] =>
  oid
    .slice(column.length + 1)
    .split('.')
    .map(Number)

export const toIpv4 = (numbers: readonly number[]): string | undefined => {
  const text = numbers.join('.')
  const value = parseIpv4(text)
  return value === undefined ? undefined : formatIpv4(value)
}

/** Maps the first number of each index to the value. */
export const mapByIndex = (rows: readonly Row[], column: string): Map<number, unknown> =>
  new Map(rows.map(({ oid, value }) => [getSuffix(oid, column)[0] ?? 0, value]))

/** Groups the values of a table by the rest of their index. Each row has its values by the number of the column. */
export const groupRows = (rows: readonly Row[], table: string): Map<string, Map<number, unknown>> => {
  const groups = new Map<string, Map<number, unknown>>()
  for (const { oid, value } of rows) {
    const [column = 0, ...index] = getSuffix(oid, table)
    const key = index.join('.')
    const columns = groups.get(key) ?? new Map<number, unknown>()
    groups.set(key, columns.set(column, value))
  }
  return groups
}
