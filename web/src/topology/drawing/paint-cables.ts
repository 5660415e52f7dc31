/** Draws cables: bent beside other lines between the same devices, with the names of their ports. */

import type { GraphLink } from '../graph.ts'
import type { Camera, Point, Positions } from './camera.ts'
import type { Label } from './label-layout.ts'

/** The distance between lines, in pixels at full size. */
const BEND = 18
/** Where the names of ports stand on their line. */
const NAME_AT = 0.24
/** Below it, names would cover each other. */
export const NAMES_FROM_ZOOM = 0.6

type Curve = { readonly a: Point; readonly b: Point; readonly control: Point }
type End = { readonly from: number; readonly to: number; readonly bend?: number }

export const computeCurve = ({ from, to, bend = 0 }: End, positions: Positions, { x, y, zoom }: Camera): Curve => {
  const at = (node: number): Point => ({
    x: (positions[node * 2] ?? 0) * zoom + x,
    y: (positions[node * 2 + 1] ?? 0) * zoom + y,
  })
  const [a, b] = [at(from), at(to)]
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const length = Math.hypot(dx, dy) || 1
  // The curve reaches half as far as its control point.
  const reach = bend * BEND * 2 * Math.min(1, zoom)
  const control = { x: (a.x + b.x) / 2 - (dy / length) * reach, y: (a.y + b.y) / 2 + (dx / length) * reach }
  return { a, b, control }
}

/** Returns a point of a curve. @param t from 0 at its beginning to 1 at its end */
export const computePoint = ({ a, b, control }: Curve, t: number): Point => {
  const at = (from: number, middle: number, to: number) => (1 - t) ** 2 * from + 2 * (1 - t) * t * middle + t ** 2 * to
  return { x: at(a.x, control.x, b.x), y: at(a.y, control.y, b.y) }
}

export const addCurve = (path: Path2D, { a, b, control }: Curve): void => {
  path.moveTo(a.x, a.y)
  path.quadraticCurveTo(control.x, control.y, b.x, b.y)
}

export type PortLabel = Label & { readonly text: string }

/** Returns the names of the ports of the cables of one node, in the middle of their places. */
export const listPortLabels = (
  links: readonly GraphLink[],
  node: number,
  place: (link: GraphLink) => Curve,
  widthOf: (text: string) => number,
): readonly PortLabel[] =>
  links.flatMap((link) => {
    const { from, to, ports } = link
    if (!ports || (from !== node && to !== node)) return []
    const curve = place(link)
    return ports.map((text, end) => {
      const { x, y } = computePoint(curve, end === 0 ? NAME_AT : 1 - NAME_AT)
      const width = widthOf(text)
      return { node: 0, text, x: x - width / 2, y, width, rank: 0 }
    })
  })
