/** The few facts of each device that a drawing of all of them needs. */
import type { Device } from '../api/contracts.ts'
import { detectRole } from '../topology/role.ts'
import { type Brief, STATES } from './window/messages.ts'

/** @param rows in the order of the result @param names of datacenters, by id */
export const buildBrief = (rows: readonly Device[], names: ReadonlyMap<string, string>): Brief => {
  const placeNames = [...new Set(rows.map(({ datacenter_id }) => names.get(datacenter_id ?? '') ?? ''))]
  const numbers = new Map(placeNames.map((name, number) => [name, number]))
  return {
    ids: rows.map(({ id }) => id),
    names: rows.map(({ name }) => name),
    places: Uint16Array.from(rows, ({ datacenter_id }) => numbers.get(names.get(datacenter_id ?? '') ?? '') ?? 0),
    placeNames,
    states: Uint8Array.from(rows, ({ status }) => STATES.indexOf(status)),
    switches: rows.flatMap((row, place) => (detectRole(row) === 'network' ? place : [])),
  }
}
