/** The path of a trace: its stops, its texts, and their places. */
import { describe, expect, test } from 'bun:test'
import type { CableEnd, Trace } from './fields.ts'
import { BOX, computeLayout, cutText, formatFacts, formatPorts, formatSummary, listStops } from './trace.ts'

const end = (device: string, port: string, side: CableEnd['side'] = 'front'): CableEnd => ({
  device_id: device,
  device,
  port_id: `${device} ${port}`,
  port,
  side,
})

const hop = (from: CableEnd, to: CableEnd, length_m: number | null = null): Trace['hops'][number] => ({
  cable: { id: `${from.port_id} ${to.port_id}`, label: '', type: 'cat6a', status: 'connected', length_m },
  from,
  to,
})

const through: Trace = {
  hops: [
    hop(end('sw-1', 'Gi0/1'), end('panel-1', '7'), 2),
    hop(end('panel-1', '7', 'rear'), end('panel-2', '7', 'rear'), 30.5),
    hop(end('panel-2', '7'), end('web-1', 'eth0')),
  ],
  ends: [end('sw-1', 'Gi0/1'), end('web-1', 'eth0')],
  length_m: 32.5,
  is_loop: false,
}

describe('a path', () => {
  test('has a stop at each device, with the ports that it uses', () => {
    expect(listStops(through).map((stop) => [stop.device, formatPorts(stop)])).toEqual([
      ['sw-1', 'Gi0/1'],
      ['panel-1', '7 front–rear'],
      ['panel-2', '7 rear–front'],
      ['web-1', 'eth0'],
    ])
    expect(listStops({ hops: [] })).toEqual([])
  })

  test('is said in a sentence', () => {
    expect(formatSummary(through)).toBe('3 cables, 32.5 m, from sw-1 Gi0/1 to web-1 eth0')
    expect(formatSummary({ ...through, length_m: null, hops: through.hops.slice(2) })).toBe(
      '1 cable, from panel-2 7 to web-1 eth0',
    )
    expect(formatSummary({ ...through, is_loop: true })).toBe('3 cables, 32.5 m, round in a loop, back to sw-1')
    expect(formatSummary({ hops: [], length_m: null, is_loop: false })).toBe('')
  })

  test('names type and length of its cables', () => {
    expect(through.hops.map(({ cable }) => formatFacts(cable))).toEqual(['cat6a · 2 m', 'cat6a · 30.5 m', 'cat6a'])
  })
})

test.each([false, true])(
  'no two boxes of a layout overlap, and lines end at boxes (below each other: %p)',
  (isVertical) => {
    const { boxes, lines, width, height } = computeLayout(4, isVertical)
    const apart = boxes.slice(1).map(({ x, y }, at) => {
      const before = boxes[at] ?? { x: 0, y: 0 }
      return isVertical ? y - before.y > BOX.height : x - before.x > BOX.width
    })
    expect(apart).toEqual([true, true, true])
    const lengths = lines.map(({ x1, y1, x2, y2 }) => x2 - x1 + y2 - y1)
    expect(new Set(lengths).size).toBe(1)
    expect(boxes.every(({ x, y }) => x + BOX.width <= width && y + BOX.height <= height)).toBe(true)
  },
)

test('a long text is cut', () => {
  expect([cutText('short', 100, 7), cutText('a-very-long-name', 56, 7)]).toEqual(['short', 'a-very-…'])
})
