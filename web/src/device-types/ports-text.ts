/** The ports of a device type in its form: kept as a text, and sent as a list. */
import type { DeviceType } from './fields.ts'

export type TypePort = DeviceType['ports'][number]

/** A port as it is typed. The key tells rows apart while their names change. */
export type PortRow = TypePort & { readonly key: number }

export const toRows = (ports: readonly TypePort[]): PortRow[] => ports.map((port, key) => ({ ...port, key }))

export const writePorts = (rows: readonly PortRow[]): string => (rows.length === 0 ? '' : JSON.stringify(rows))

export const readPorts = (text: string): PortRow[] =>
  // The form has written it.
  text === '' ? [] : (JSON.parse(text) as PortRow[])

export const parsePortsInput = (text: string): TypePort[] =>
  readPorts(text).map(({ name, kind, type, pass_through }) => ({ name, kind, type, pass_through }))

/** Adds ports with these names, which no row has yet in any case. */
export const withNames = (
  rows: readonly PortRow[],
  names: readonly string[],
  shape: Omit<TypePort, 'name'>,
): PortRow[] => {
  const known = new Set(rows.map(({ name }) => name.trim().toLowerCase()))
  const next = Math.max(-1, ...rows.map(({ key }) => key)) + 1
  const added = names.filter((name) => !known.has(name.toLowerCase()))
  return [...rows, ...added.map((name, at) => ({ ...shape, name, key: next + at }))]
}
