/** Finds the most specific subnet that holds an address, in as many steps as there are prefix lengths. */

import type { Cidr } from './cidr.ts'
import { type Family, getAddressBits, type Ip } from './ip.ts'

type Level = { readonly shift: bigint; readonly prefix: number; readonly items: Map<bigint, unknown> }

export class SubnetIndex<T> {
  readonly #levels: Record<Family, Level[]> = { 4: [], 6: [] }

  /** Keeps the first item of a subnet. */
  add({ family, prefix, first }: Cidr, item: T): void {
    const levels = this.#levels[family]
    let level = levels.find((known) => known.prefix === prefix)
    if (!level) {
      level = { shift: BigInt(getAddressBits(family) - prefix), prefix, items: new Map() }
      levels.push(level)
      levels.sort((a, b) => b.prefix - a.prefix)
    }
    const key = first >> level.shift
    if (!level.items.has(key)) level.items.set(key, item)
  }

  /** Returns the item of the most specific subnet that holds both addresses. */
  holding(ip: Ip, last: Ip = ip): T | undefined {
    if (ip.family !== last.family) return undefined
    for (const { shift, items } of this.#levels[ip.family]) {
      const key = ip.value >> shift
      // The maps hold items of this type only.
      if (key === last.value >> shift && items.has(key)) return items.get(key) as T
    }
    return undefined
  }
}
