/** Where the devices and the free places of a rack are drawn on a face, and how keys move between them. Pure. */
import { isInside, overlap, parseSlot, type RackPosition } from '../../../src/inventory/racks/placement.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import type { Rack } from './fields.ts'

export type Elevation = Out<Contracts['racks']['elevation']>
export type Mounted = Elevation['front'][number]
export type Face = Mounted['face']

export const FACES: readonly Face[] = ['front', 'rear']
export const getOtherFace = (face: Face): Face => (face === 'front' ? 'rear' : 'front')

/** In pixels. */
export const UNIT = 24
export const GUTTER = 30
export const WIDTH = 250

const TWELFTHS = 12

type Units = Pick<Rack, 'height' | 'first_unit' | 'numbering'>
type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** A place without the rest of its device. */
export type Spot = { readonly position: number; readonly height: number; readonly slot: string }

/** Returns the distance of a place from the top of the rack, in units. */
export const computeUnitsAbove = (rack: Units, { position, height }: Omit<Spot, 'slot'>): number =>
  rack.numbering === 'top_down' ? position - rack.first_unit : rack.first_unit + rack.height - position - height

/** Slots are counted from the left of the front, so that the first is at the right of the rear. */
export const computeBox = (rack: Units, face: Face, spot: Spot): Box => {
  const { from, to } = parseSlot(spot.slot)
  const left = face === 'front' ? from : TWELFTHS - to
  return {
    x: GUTTER + (left * WIDTH) / TWELFTHS,
    y: computeUnitsAbove(rack, spot) * UNIT,
    width: ((to - from) * WIDTH) / TWELFTHS,
    height: spot.height * UNIT,
  }
}

/** A device of a face, or a place where one may begin. */
export type Cell = Spot & { readonly key: string; readonly device: Mounted | undefined }

/** Returns the id of a cell in the page. */
export const cellId = (face: Face, { key }: Pick<Cell, 'key'>): string => `${face}-${key.replaceAll(/[^\w-]/g, '_')}`

type Placed = Mounted & { readonly position: number }
export const isPlaced = (device: Mounted): device is Placed => device.position !== null && device.height > 0

const hasOverlap = (a: Omit<Spot, 'slot'>, b: Omit<Spot, 'slot'>): boolean =>
  a.position < b.position + b.height && b.position < a.position + a.height

const listSlots = (n: number): string[] => Array.from({ length: n }, (_, at) => `${at + 1}/${n}`)

const createFreeCell = (spot: Spot): Cell => ({ ...spot, key: `${spot.position} ${spot.slot}`, device: undefined })

/** Returns the free places of a whole or of a half unit: it all, or the slots beside devices of the same width. */
const listFreeCells = (span: Omit<Spot, 'slot'>, devices: readonly Placed[]): Cell[] => {
  const there = devices.filter((device) => hasOverlap(span, device))
  if (there.length === 0) return [createFreeCell({ ...span, slot: '1/1' })]
  const [, n = '1'] = (there[0]?.slot ?? '').split('/')
  if (there.some(({ slot }) => !slot.endsWith(`/${n}`))) return []
  const taken = new Set(there.map(({ slot }) => slot))
  return listSlots(Number(n))
    .filter((slot) => !taken.has(slot))
    .map((slot) => createFreeCell({ ...span, slot }))
}

const listUnitCells = (position: number, devices: readonly Placed[]): Cell[] => {
  const isCut = devices.some((one) => one.position === position + 0.5 || one.position + one.height === position + 0.5)
  if (!isCut) return listFreeCells({ position, height: 1 }, devices)
  return [position, position + 0.5].flatMap((half) => listFreeCells({ position: half, height: 0.5 }, devices))
}

/** Returns the devices and the free places of a face, from its top left to its bottom right. */
export const listCells = ({ rack, ...elevation }: Elevation, face: Face): Cell[] => {
  const devices = elevation[face].filter(isPlaced)
  const taken = devices.map((device): Cell => {
    const { position, height, slot, device_id } = device
    return { position, height, slot, device, key: device_id }
  })
  const units = Array.from({ length: rack.height }, (_, index) => rack.first_unit + index)
  const box = (cell: Cell) => computeBox(rack, face, cell)
  return [...taken, ...units.flatMap((unit) => listUnitCells(unit, devices))].sort(
    (a, b) => box(a).y - box(b).y || box(a).x - box(b).x,
  )
}

export type Step = 'up' | 'down' | 'left' | 'right'

/** Returns the nearest cell in a direction; undefined at the edge. */
export const findCellBeside = (cells: readonly Cell[], boxAt: (cell: Cell) => Box, from: Cell, step: Step) => {
  const own = boxAt(from)
  const middle = own.x + own.width / 2
  const isBeside = ({ y, height }: Box) => y < own.y + own.height && own.y < y + height
  const covers = ({ x, width }: Box) => x <= middle && middle <= x + width
  const found = cells
    .filter((cell) => cell.key !== from.key)
    .map((cell) => ({ cell, box: boxAt(cell) }))
    .filter(({ box }) => {
      if (step === 'up') return box.y + box.height <= own.y
      if (step === 'down') return box.y >= own.y + own.height
      return isBeside(box) && (step === 'left' ? box.x < own.x : box.x > own.x)
    })
    .sort((a, b) => {
      if (step === 'left') return b.box.x - a.box.x
      if (step === 'right') return a.box.x - b.box.x
      const byY = step === 'up' ? b.box.y + b.box.height - (a.box.y + a.box.height) : a.box.y - b.box.y
      return byY || Number(covers(b.box)) - Number(covers(a.box))
    })
  return found[0]?.cell
}

/** Where a device is moved to. */
export type Target = { readonly face: Face; readonly position: number; readonly slot: string }

const getHeight = ({ height }: Mounted): number => (height === 0 ? 1 : height)

export const toSpot = (device: Mounted, { position, slot }: Target): Spot => ({
  position,
  slot,
  height: getHeight(device),
})

/** Keeps a device inside of the rack, as far as it is not higher than the rack. */
export const limitPosition = (rack: Units, device: Mounted, position: number): number =>
  Math.max(rack.first_unit, Math.min(rack.first_unit + rack.height - getHeight(device), position))

/** Finds the device in the way of a place, by the rules of the server; undefined if it is free. */
export const findObstacle = (elevation: Elevation, device: Mounted, target: Target): Mounted | undefined => {
  const position: RackPosition = { ...device, ...target, height: getHeight(device) }
  if (!isInside(position, elevation.rack)) return undefined
  const others = FACES.flatMap((face) => elevation[face]).filter(isPlaced)
  return others.find((other) => other.device_id !== device.device_id && overlap(position, other))
}

/** Finds the first free place for a device from the bottom; its own place if it has one. */
export const findFirstTarget = (elevation: Elevation, device: Mounted): Target => {
  const { face, slot, position } = device
  if (position !== null) return { face, slot, position }
  const { first_unit, height } = elevation.rack
  const units = Array.from({ length: height }, (_, index) => first_unit + index)
  const free = units.find(
    (unit) =>
      limitPosition(elevation.rack, device, unit) === unit &&
      !findObstacle(elevation, device, { face, slot, position: unit }),
  )
  return { face, slot, position: free ?? first_unit }
}

/** Returns the slot beside; undefined at the edge of the rack. @param by -1 to the left of the front */
export const findSlotBeside = (slot: string, by: number): string | undefined => {
  const [k = 1, n = 1] = slot.split('/').map(Number)
  return k + by >= 1 && k + by <= n ? `${k + by}/${n}` : undefined
}

type Point = { readonly x: number; readonly y: number }

/** Finds the place under the pointer. @param grabbed where the device is held, in units below its top */
export const computeTarget = (
  rack: Units,
  device: Mounted,
  { face, point, grabbed }: { readonly face: Face; readonly point: Point; readonly grabbed: number },
): Target => {
  const height = getHeight(device)
  const above = point.y / UNIT - grabbed
  const position =
    rack.numbering === 'top_down' ? rack.first_unit + above : rack.first_unit + rack.height - above - height
  const n = Number(device.slot.split('/')[1] ?? 1)
  const part = Math.max(0, Math.min(n - 1, Math.floor(((point.x - GUTTER) / WIDTH) * n)))
  const k = face === 'front' ? part + 1 : n - part
  // Places of half a unit are for devices that begin or end at one.
  const step = Number.isInteger(height) ? 1 : 0.5
  return { face, position: limitPosition(rack, device, Math.round(position / step) * step), slot: `${k}/${n}` }
}
