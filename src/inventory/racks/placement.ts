/** The places of devices in a rack: overlaps, places outside, and the use of space and power. */
import type { Rack } from './api.ts'
import type { Face, Mount } from './mount.ts'

/** The place of a device that occupies units. */
export type RackPosition = Pick<Mount, 'height' | 'face' | 'full_depth' | 'slot'> & { readonly position: number }

/** The largest number of devices beside each other is 4, so that each slot is a whole number of twelfths. */
const TWELFTHS = 12

/** @example parseSlot('2/3') // { from: 4, to: 8 } */
export const parseSlot = (slot: string): { readonly from: number; readonly to: number } => {
  const [k = 1, n = 1] = slot.split('/').map(Number)
  return { from: ((k - 1) * TWELFTHS) / n, to: (k * TWELFTHS) / n }
}

/** Returns the place of a device that is mounted in units; undefined for one in no unit. */
export const toRackPlace = ({ position, ...mount }: Mount): RackPosition | undefined =>
  position === null || mount.height === 0 ? undefined : { ...mount, position }

export const listFaces = ({ face, full_depth }: Pick<RackPosition, 'face' | 'full_depth'>): readonly Face[] =>
  full_depth ? ['front', 'rear'] : [face]

/** Two places have a face, a part of the width and a part of the height in common. */
export const overlap = (a: RackPosition, b: RackPosition): boolean => {
  if (!a.full_depth && !b.full_depth && a.face !== b.face) return false
  if (a.position >= b.position + b.height || b.position >= a.position + a.height) return false
  const [widthA, widthB] = [parseSlot(a.slot), parseSlot(b.slot)]
  return widthA.from < widthB.to && widthB.from < widthA.to
}

type Units = Pick<Rack, 'height' | 'first_unit'>

export const isInside = ({ position, height }: Pick<RackPosition, 'position' | 'height'>, rack: Units): boolean =>
  position >= rack.first_unit && position + height <= rack.first_unit + rack.height

export type Usage = {
  readonly total_units: number
  readonly used_units: number
  readonly free_units: number
  readonly largest_free_units: number
  readonly devices: number
  readonly power_w: number
  readonly max_power_w: number | null
  readonly power: number | null
}

/** Returns the units of a rack in order, true for units with any taken part. */
const listTakenUnits = ({ height, first_unit }: Units, mounts: readonly Mount[]): boolean[] => {
  const taken = new Array<boolean>(height).fill(false)
  for (const position of mounts.flatMap((mount) => toRackPlace(mount) ?? [])) {
    const from = Math.floor(position.position) - first_unit
    const to = Math.ceil(position.position + position.height) - first_unit
    taken.fill(true, Math.max(0, from), Math.max(0, to))
  }
  return taken.slice(0, height)
}

const computeLongestFree = (taken: readonly boolean[]): number => {
  let longest = 0
  let run = 0
  for (const isTaken of taken) {
    run = isTaken ? 0 : run + 1
    longest = Math.max(longest, run)
  }
  return longest
}

/** @returns the use of space and of power by the devices of a rack; `power` in percent, with two decimals */
export const computeUsage = (rack: Units & Pick<Rack, 'max_power_w'>, mounts: readonly Mount[]): Usage => {
  const taken = listTakenUnits(rack, mounts)
  const used_units = taken.filter(Boolean).length
  const power_w = mounts.reduce((sum, mount) => sum + (mount.power_w ?? 0), 0)
  const { max_power_w } = rack
  return {
    total_units: rack.height,
    used_units,
    free_units: rack.height - used_units,
    largest_free_units: computeLongestFree(taken),
    devices: mounts.length,
    power_w,
    max_power_w,
    power: max_power_w === null ? null : Math.round((power_w / max_power_w) * 10_000) / 100,
  }
}
