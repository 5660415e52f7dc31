/** Converts between positions in the graph and on the screen, by offset and zoom. */

export type Camera = { readonly x: number; readonly y: number; readonly zoom: number }
export type Size = { readonly width: number; readonly height: number }
export type Point = { readonly x: number; readonly y: number }
/** x and y of each node, in turn. */
export type Positions = Float32Array

const MIN_ZOOM = 0.05
const MAX_ZOOM = 6

const limitZoom = (zoom: number): number => Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom))

export const getPoint = (positions: Positions, index: number): Point => ({
  x: positions[index * 2] ?? 0,
  y: positions[index * 2 + 1] ?? 0,
})

export const toScreen = ({ x, y, zoom }: Camera, point: Point): Point => ({
  x: point.x * zoom + x,
  y: point.y * zoom + y,
})

export type Room = { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number }

export type FitOptions = { readonly room: Room; readonly maxZoom: number }

/** Shows everything, with space at the edges. */
export const computeFit = (positions: Positions, size: Size, { room, maxZoom }: FitOptions): Camera => {
  let [left, right, top, bottom] = [0, 0, 0, 0]
  for (let at = 0; at < positions.length; at += 2) {
    const [x = 0, y = 0] = [positions[at], positions[at + 1]]
    left = at === 0 ? x : Math.min(left, x)
    right = at === 0 ? x : Math.max(right, x)
    top = at === 0 ? y : Math.min(top, y)
    bottom = at === 0 ? y : Math.max(bottom, y)
  }
  const width = Math.max(80, size.width - room.left - room.right)
  const height = Math.max(80, size.height - room.top - room.bottom)
  const zoom = limitZoom(Math.min(maxZoom, width / Math.max(1, right - left), height / Math.max(1, bottom - top)))
  return {
    zoom,
    x: room.left + width / 2 - (zoom * (left + right)) / 2,
    y: room.top + height / 2 - (zoom * (top + bottom)) / 2,
  }
}

/** Zooms, keeping the point under the pointer in place. */
export const zoomAt = (camera: Camera, at: Point, factor: number): Camera => {
  const zoom = limitZoom(camera.zoom * factor)
  const ratio = zoom / camera.zoom
  return { zoom, x: at.x - (at.x - camera.x) * ratio, y: at.y - (at.y - camera.y) * ratio }
}

/** Centers a point. */
export const centerOn = (point: Point, { width, height }: Size, zoom: number): Camera => ({
  zoom,
  x: width / 2 - point.x * zoom,
  y: height / 2 - point.y * zoom,
})

/** Returns the nearest node within `reach` of a point on the screen. */
export const findNode = (positions: Positions, camera: Camera, { at, reach }: { at: Point; reach: number }): number => {
  let best = -1
  let nearest = reach * reach
  for (let index = 0; index < positions.length / 2; index++) {
    const { x, y } = toScreen(camera, getPoint(positions, index))
    const distance = (x - at.x) ** 2 + (y - at.y) ** 2
    if (distance > nearest) continue
    nearest = distance
    best = index
  }
  return best
}

/** The widest angle between a key and a neighbor, as a cosine, so that a key reaches every neighbor. */
const WIDEST = Math.cos((75 * Math.PI) / 180)

/** Finds the best of `among` in a direction, or -1. A straight direction counts for more than a short distance. */
export const findTowards = (positions: Positions, from: number, among: readonly number[], direction: Point): number => {
  const start = getPoint(positions, from)
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (const index of among) {
    const end = getPoint(positions, index)
    const distance = Math.hypot(end.x - start.x, end.y - start.y)
    if (distance === 0) continue
    const cosine = ((end.x - start.x) * direction.x + (end.y - start.y) * direction.y) / distance
    if (cosine < WIDEST) continue
    const cost = distance * (1 + 2 * (1 - cosine))
    if (cost < least) [least, best] = [cost, index]
  }
  return best
}
