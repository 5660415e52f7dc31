/** Places devices in racks by the rules of Plat, which refuses what overlaps or is outside. */
import type { EstateRow } from '../converter.ts'

type RowRef = { readonly ref: string }
type Rack = { readonly first: number; readonly height: number; readonly datacenter: string | undefined }
type Face = 'front' | 'rear'

export type Wanted = {
  readonly height: number
  readonly isFullDepth: boolean
  readonly power: number | undefined
  /** The lowest unit; undefined for a device in no unit. */
  readonly position: number | undefined
  readonly face: Face
}

type Placed = { readonly mount: EstateRow; readonly why?: string }

const isHalf = (value: number): boolean => Number.isInteger(value * 2)

export class Mounts {
  readonly #racks = new Map<string, Rack>()
  /** The taken halves of units. */
  readonly #taken = new Map<string, Set<string>>()

  addRack({ ref }: RowRef, rack: Rack): void {
    this.#racks.set(ref, rack)
  }

  /** Returns the mount of a device; undefined if the rack is in another datacenter, or not in the document. */
  place(rack: RowRef, wanted: Wanted, datacenter: string | undefined): Placed | undefined {
    const found = this.#racks.get(rack.ref)
    if (!found || (datacenter !== undefined && found.datacenter !== datacenter)) return undefined
    const why = this.#problem(rack.ref, found, wanted)
    const { height, isFullDepth, power, position, face } = wanted
    const isPlaced = position !== undefined && why === undefined
    const mount = {
      ...{ rack, position: isPlaced ? position : null, height: isHalf(height) ? height : Math.ceil(height) },
      ...{ face, full_depth: isFullDepth, slot: '1/1', power_w: power ?? null },
    }
    return { mount, ...(why !== undefined && { why }) }
  }

  #problem(ref: string, { first, height: units }: Rack, { position, height, isFullDepth, face }: Wanted) {
    if (position === undefined) return undefined
    if (!isHalf(position) || !isHalf(height) || height === 0) return 'is no half of a unit'
    if (position < first || position + height > first + units) return 'is outside of its rack'
    const taken = this.#taken.get(ref) ?? new Set()
    this.#taken.set(ref, taken)
    const faces: readonly Face[] = isFullDepth ? ['front', 'rear'] : [face]
    const halves = Array.from({ length: height * 2 }, (_, at) => position * 2 + at)
    const own = faces.flatMap((side) => halves.map((half) => `${side} ${half}`))
    if (own.some((half) => taken.has(half))) return 'overlaps with another device'
    for (const half of own) taken.add(half)
    return undefined
  }
}
