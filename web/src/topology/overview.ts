/** The overview: all devices as dots, one block for each datacenter. */
import type { Positions } from './drawing/camera.ts'

/** The distance between dots, and their size. */
export const STEP = 10
export const DOT = 7
const GAP = 46
/** The preferred ratio of a block's width to its height. */
const SHAPE = 1.5

export type Block = {
  /** The index of the datacenter. The last one stands for devices without a datacenter. */
  readonly place: number
  readonly count: number
  readonly x: number
  readonly y: number
  readonly width: number
}

export type OverviewPlan = { readonly positions: Positions; readonly blocks: readonly Block[] }

type BlockSize = { readonly across: number; readonly down: number }

/** Returns the width at which the blocks fill a window of this ratio best. */
const computeBestWidth = (sizes: readonly BlockSize[], aspect: number): number => {
  const least = Math.max(...sizes.map(({ across }) => across * STEP))
  const computeCost = (widest: number): number => {
    let [x, y, rowHeight, right] = [0, 0, 0, 0]
    for (const { across, down } of sizes) {
      if (x > 0 && x + across * STEP > widest) [x, y, rowHeight] = [0, y + rowHeight + GAP, 0]
      right = Math.max(right, x + across * STEP)
      x += across * STEP + GAP
      rowHeight = Math.max(rowHeight, down * STEP)
    }
    return Math.max(right / aspect, y + rowHeight)
  }
  let width = 0
  const widths = sizes.slice(0, 24).map(({ across }) => (width += across * STEP + GAP))
  return [least, ...widths.filter((one) => one >= least)].reduce((best, one) =>
    computeCost(one) < computeCost(best) ? one : best,
  )
}

/** `places` has the index of each device's block. */
export const planOverview = (places: Uint16Array, aspect: number): OverviewPlan => {
  const members = new Map<number, number[]>()
  for (const [device, place] of places.entries()) {
    const known = members.get(place)
    if (known) known.push(device)
    else members.set(place, [device])
  }
  const groups = [...members].sort((a, b) => b[1].length - a[1].length || a[0] - b[0])
  const sizes = groups.map(([, devices]) => {
    const across = Math.max(12, Math.ceil(Math.sqrt(devices.length * SHAPE)))
    return { across, down: Math.ceil(devices.length / across) }
  })
  const widest = computeBestWidth(sizes, aspect)
  const positions = new Float32Array(places.length * 2)
  const blocks: Block[] = []
  let [x, y, rowHeight] = [0, 0, 0]
  for (const [at, [place, devices]] of groups.entries()) {
    const { across, down } = sizes[at] ?? { across: 1, down: 1 }
    if (x > 0 && x + across * STEP > widest) [x, y, rowHeight] = [0, y + rowHeight + GAP, 0]
    for (const [i, device] of devices.entries())
      positions.set([x + (i % across) * STEP, y + Math.floor(i / across) * STEP], device * 2)
    blocks.push({ place, count: devices.length, x, y, width: across * STEP })
    x += across * STEP + GAP
    rowHeight = Math.max(rowHeight, down * STEP)
  }
  return { positions, blocks }
}
