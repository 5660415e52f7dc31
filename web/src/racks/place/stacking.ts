/** Where selected devices come to stand in a rack: one above the other, around the devices that are there. Pure. */
import { isInside, overlap, type RackPosition } from '../../../../src/inventory/racks/placement.ts'
import type { Device } from '../../api/contracts.ts'
import { type Elevation, FACES, isPlaced, type Mounted } from '../geometry.ts'

type Rack = Elevation['rack']
type Type = {
  readonly id: string
  readonly height: number
  readonly full_depth: boolean
  readonly power_w: number | null
}

/** The lowest unit of a rack, which the numbering may count last. */
export const getBottomUnit = ({ numbering, first_unit, height }: Rack): number =>
  numbering === 'top_down' ? first_unit + height - 1 : first_unit

/** Returns the height of a unit above the bottom of the rack. */
const computeLevel = (rack: Rack, unit: number): number =>
  rack.numbering === 'top_down' ? getBottomUnit(rack) - unit : unit - rack.first_unit

const toPosition = ({ numbering, first_unit, height }: Rack, level: number, own: number): number =>
  numbering === 'top_down' ? first_unit + height - level - own : first_unit + level

/** Returns a device as it is mounted: as it was in its rack, else as its type says. Its unit is not known yet. */
export const toMounted = (device: Device, types: readonly Type[]): Mounted => {
  const { id, name, status, make_model, mount, device_type_id } = device
  const type = types.find((one) => one.id === device_type_id)
  return {
    ...{ device_id: id, name, status, make_model, position: null },
    height: mount?.height ?? type?.height ?? 1,
    face: mount?.face ?? 'front',
    full_depth: mount?.full_depth ?? type?.full_depth ?? true,
    slot: mount?.slot ?? '1/1',
    power_w: mount?.power_w ?? type?.power_w ?? null,
  }
}

export type Stack = {
  /** A device of height 0 is in no unit. */
  readonly placed: readonly Mounted[]
  /** The rack has no room for these. */
  readonly refused: readonly Mounted[]
}

/** Stacks devices upward from a unit, in their order. A place that another device has is passed over. */
export const stackUpward = (elevation: Elevation, devices: readonly Mounted[], lowest: number): Stack => {
  const { rack } = elevation
  const moved = new Set(devices.map(({ device_id }) => device_id))
  const taken: RackPosition[] = FACES.flatMap((face) => elevation[face])
    .filter(isPlaced)
    .filter(({ device_id }) => !moved.has(device_id))
  const placed: Mounted[] = []
  const refused: Mounted[] = []
  let level = computeLevel(rack, lowest)
  for (const device of devices) {
    const { height } = device
    if (height === 0) {
      placed.push(device)
      continue
    }
    // Only a device of half a unit begins at half of one.
    const step = Number.isInteger(height) ? 1 : 0.5
    const at = (from: number) => ({ ...device, position: toPosition(rack, from, height) })
    let from = Math.ceil(level / step) * step
    while (isInside(at(from), rack) && taken.some((other) => overlap(other, at(from)))) from += step
    const found = at(from)
    if (!isInside(found, rack)) {
      refused.push(device)
      continue
    }
    taken.push(found)
    placed.push(found)
    level = from + height
  }
  return { placed, refused }
}
