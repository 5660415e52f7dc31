/** The VLANs of a document: no two have the same number, datacenter and group. */
import type { EstateRow } from '../converter.ts'
import { compact, MAX_TEXT } from './row-text.ts'

const MAX_VLAN = 4094

/** Returns the number of a VLAN; undefined for a value that is none. */
export const parseVlanNumber = (value: unknown): number | undefined => {
  const number = Number(value)
  return Number.isInteger(number) && number >= 1 && number <= MAX_VLAN ? number : undefined
}

type Datacenter = { readonly ref: string } | undefined

type VlanFields = {
  /** The id of the source. */
  readonly id: string | number
  readonly vlan_id: number
  readonly name: string
  readonly datacenter: Datacenter
  readonly group: string
  readonly description: string
  readonly custom?: Readonly<Record<string, unknown>> | undefined
  readonly refs: Readonly<Record<string, string>>
}

const buildPlaceKey = (vlanId: number, datacenter: Datacenter): string => `${vlanId} ${datacenter?.ref ?? ''}`

export class VlanRows {
  readonly rows: EstateRow[] = []
  readonly #taken = new Set<string>()
  /** The ids of the source, by number and datacenter. */
  readonly #byPlace = new Map<string, (string | number)[]>()

  /** Adds a VLAN. Its group gets its id where an earlier one is equal to it. */
  add({ id, ...vlan }: VlanFields): void {
    const place = buildPlaceKey(vlan.vlan_id, vlan.datacenter)
    const buildGroupKey = (group: string): string => `${place} ${group.trim().toLowerCase()}`
    const suffix = ` #${id}`
    const group = this.#taken.has(buildGroupKey(vlan.group))
      ? `${vlan.group.slice(0, MAX_TEXT - suffix.length).toWellFormed()}${suffix}`.trim()
      : vlan.group
    this.#taken.add(buildGroupKey(group))
    const ids = this.#byPlace.get(place)
    if (ids) ids.push(id)
    else this.#byPlace.set(place, [id])
    this.rows.push(compact({ ...vlan, group }))
  }

  /**
   * True if only this VLAN can have a network of a number in a datacenter, so that nothing else must say so.
   *
   * @param datacenters the datacenter of the network and all above it, from it up
   */
  isOnly(id: unknown, vlanId: number | undefined, datacenters: readonly Datacenter[]): boolean {
    if (vlanId === undefined) return false
    const lists = [...datacenters, undefined].map((one) => this.#byPlace.get(buildPlaceKey(vlanId, one)))
    const ids = lists.find((list) => list !== undefined) ?? []
    return ids.length === 1 && ids[0] === id
  }
}
