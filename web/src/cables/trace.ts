/** A traced path as devices with cables between them, and where a drawing has them. Pure functions. */
import type { CableEnd, Trace } from './fields.ts'

/** A device that the path goes through: in at one end, and out at the other. */
export type Stop = {
  readonly device_id: string
  readonly device: string
  readonly in?: CableEnd
  readonly out?: CableEnd
}

type Hops = Pick<Trace, 'hops'>

export const listStops = ({ hops }: Hops): Stop[] => {
  const [first] = hops
  if (!first) return []
  const { device_id, device } = first.from
  return [
    { device_id, device, out: first.from },
    ...hops.map(({ to }, at): Stop => {
      const next = hops[at + 1]?.from
      return { device_id: to.device_id, device: to.device, in: to, ...(next && { out: next }) }
    }),
  ]
}

/** Returns the line of a stop that names its ports. */
export const formatPorts = ({ in: from, out: to }: Stop): string => {
  if (from && to && from.port_id === to.port_id && from.side !== to.side) return `${from.port} ${from.side}–${to.side}`
  const texts = [from, to].flatMap((end) => (end ? [`${end.port}${end.side === 'rear' ? ' rear' : ''}`] : []))
  return texts.join(' – ')
}

/** @example formatLength(2.5) // '2.5 m' */
export const formatLength = (length: number | null): string => (length === null ? '' : `${length} m`)

export type TracedCable = Trace['hops'][number]['cable']

/** Type and length of a cable. */
export const formatFacts = ({ type, length_m }: TracedCable): string =>
  [type, formatLength(length_m)].filter((text) => text !== '').join(' · ')

const formatCount = (count: number): string => `${count} ${count === 1 ? 'cable' : 'cables'}`

/** @example formatSummary(trace) // '3 cables, 12 m, from sw-1 Gi0/1 to web-1 eth0' */
export const formatSummary = (trace: Pick<Trace, 'hops' | 'length_m' | 'is_loop'>): string => {
  const stops = listStops(trace)
  const [first, last] = [stops[0], stops.at(-1)]
  if (!first || !last) return ''
  const length = trace.length_m === null ? [] : [formatLength(trace.length_m)]
  const way = trace.is_loop
    ? `round in a loop, back to ${first.device}`
    : `from ${first.device} ${first.out?.port} to ${last.device} ${last.in?.port}`
  return [formatCount(trace.hops.length), ...length, way].join(', ')
}

export type Box = { readonly x: number; readonly y: number }
export type Line = { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number }
type Layout = {
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
  readonly lines: readonly Line[]
}

export const BOX = { width: 172, height: 52 }
/** The length of a cable. */
const GAP = { across: 116, down: 50 }
/** Around the boxes, for their borders and rings. */
const EDGE = 3

/** Places stops beside each other, or below each other where there is little room. */
export const computeLayout = (count: number, isVertical: boolean): Layout => {
  const step = isVertical ? BOX.height + GAP.down : BOX.width + GAP.across
  const boxes = Array.from({ length: count }, (_, at) =>
    isVertical ? { x: EDGE, y: EDGE + at * step } : { x: EDGE + at * step, y: EDGE },
  )
  const lines = boxes.slice(1).map(({ x, y }) => {
    const middle = isVertical ? x + 24 : y + BOX.height / 2
    return isVertical
      ? { x1: middle, y1: y - GAP.down, x2: middle, y2: y }
      : { x1: x - GAP.across, y1: middle, x2: x, y2: middle }
  })
  const last = boxes.at(-1) ?? { x: EDGE, y: EDGE }
  return { width: last.x + BOX.width + EDGE, height: last.y + BOX.height + EDGE, boxes, lines }
}

/** Cuts a text that would be wider than `width`. @param letter the width of one letter */
export const cutText = (text: string, width: number, letter: number): string => {
  const most = Math.floor(width / letter)
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`
}
