/** Graphs, their layouts, labels and keyboard navigation. */
import { describe, expect, test } from 'bun:test'
import type { Relationship } from '../api/contracts.ts'
import { computeFit, findNode, findTowards, toScreen, zoomAt } from './drawing/camera.ts'
import { computeForceLayout } from './drawing/force.ts'
import { cullLabels } from './drawing/label-layout.ts'
import { computeLayeredLayout } from './drawing/layered.ts'
import { computeCurve, computePoint } from './drawing/paint-cables.ts'
import { buildGraph, buildSwitchGraph, LinkIndex, listNeighbours } from './graph.ts'
import { formatSummary, listTies } from './labels.ts'
import { planOverview } from './overview.ts'
import { joinCables } from './pass-through.ts'
import { detectRole } from './role.ts'
import { parseHops, parseView } from './search.ts'

const index = (...rows: readonly string[]) =>
  new LinkIndex(
    rows.map((row) => {
      const [parent_id = '', type, child_id = ''] = row.split(' ')
      // These tests use the names of the contract.
      return { parent_id, type: type as Relationship['type'], child_id }
    }),
  )

const chain = index('lb depends_on web', 'web depends_on app', 'app depends_on db', 'other depends_on db')

describe('the graph around a device', () => {
  test('goes as far as it is asked to, over the links of its view', () => {
    const links = index('sw connected_to a', 'sw connected_to b', 'b contains c', 'a depends_on d')
    expect(buildGraph(links, { focus: 'a', view: 'connections', hops: 1, most: 300 }).ids).toEqual(['a', 'sw'])
    expect(buildGraph(links, { focus: 'a', view: 'connections', hops: 2, most: 300 }).ids).toEqual(['a', 'sw', 'b'])
    expect(buildGraph(links, { focus: 'a', view: 'all', hops: 1, most: 300 }).ids).toEqual(['a', 'sw', 'd'])
  })

  test('the graph shows dependents and dependencies in the view of impact, and no other dependents of them', () => {
    const { ids, levels } = buildGraph(chain, { focus: 'app', view: 'impact', hops: 4, most: 300 })
    expect(Object.fromEntries(ids.map((id, i) => [id, levels[i]]))).toEqual({ app: 0, web: 1, lb: 2, db: -1 })
  })

  test('keeps each link once, and a link both ways twice', () => {
    const links = index('a connected_to b', 'b connected_to a', 'a contains b')
    expect(buildGraph(links, { focus: 'a', view: 'all', hops: 1, most: 300 }).links).toHaveLength(3)
    expect(buildGraph(links, { focus: 'a', view: 'connections', hops: 1, most: 300 }).links).toHaveLength(2)
  })

  const cable = (a: string, b: string) => {
    const end = (text: string) => {
      const [device = '', port = ''] = text.split(' ')
      return { device_id: device, device, port_id: text, port, side: 'front' as const }
    }
    return { a: end(a), b: end(b) }
  }

  test('cables that meet in a port are one cable between the devices at the ends, and a panel has its own cables', () => {
    const chain = [
      cable('sw 1', 'panel-a 7'),
      cable('panel-a 7', 'panel-b 3'),
      cable('web eth0', 'panel-b 3'),
      cable('panel-a 8', 'sw 2'),
    ]
    const joined = joinCables(chain)
    expect(joined.map(({ a, b, through }) => [a.port_id, b.port_id, through])).toEqual([
      ['sw 1', 'web eth0', ['panel-a', 'panel-b']],
      ['panel-a 8', 'sw 2', []],
    ])
    const graph = buildGraph(new LinkIndex([], joined), { focus: 'sw', view: 'connections', hops: 1, most: 300 })
    expect(graph.ids).toEqual(['sw', 'web', 'panel-a'])
    expect(graph.links.find(({ through }) => through !== undefined)).toMatchObject({
      from: 0,
      to: 1,
      ports: ['1', 'eth0'],
      through: 2,
    })
    expect(listTies(graph, 0).map(({ ports }) => ports)).toEqual(['1 – eth0, through 2 panels', '2 – 8'])
  })

  test('a ring of cables without an end keeps its cables', () => {
    const ring = [cable('a 1', 'b 1'), cable('b 1', 'c 1'), cable('c 1', 'a 1')]
    expect(joinCables(ring).map(({ through }) => through)).toEqual([[], [], []])
    expect(joinCables([])).toEqual([])
  })

  test('has cables beside relationships, with the names of their ports', () => {
    const links = new LinkIndex(
      [{ parent_id: 'sw', child_id: 'web', type: 'connected_to' }],
      [cable('sw 1', 'web eth0'), cable('web eth1', 'sw 2'), cable('sw 3', 'panel 7'), cable('panel 8', 'panel 9')],
    )
    const graph = buildGraph(links, { focus: 'sw', view: 'connections', hops: 1, most: 300 })
    expect(graph.ids).toEqual(['sw', 'web', 'panel'])
    expect(graph.links).toEqual([
      { from: 0, to: 1, type: 'connected_to' },
      { from: 0, to: 1, type: 'cable', ports: ['1', 'eth0'], bend: 1 },
      { from: 0, to: 2, type: 'cable', ports: ['3', '7'] },
      { from: 1, to: 0, type: 'cable', ports: ['eth1', '2'], bend: 1 },
    ])
    expect(listTies(graph, 1).map(({ node, text, ports }) => [node, text, ports])).toEqual([
      [0, 'connected to', undefined],
      [0, 'cabled to', 'eth0 – 1'],
      [0, 'cabled to', 'eth1 – 2'],
    ])
    expect(formatSummary(graph, 'connections', 'sw')).toBe('3 devices, 1 relationship, 3 cables')
  })

  test('has no cables in the views of other relationships', () => {
    const links = new LinkIndex([], [cable('sw 1', 'web eth0')])
    const of = (view: 'all' | 'containment' | 'impact') =>
      buildGraph(links, { focus: 'sw', view, hops: 1, most: 300 }).links.length
    expect([of('all'), of('containment'), of('impact')]).toEqual([1, 0, 0])
  })

  test('draws cables between two devices beside each other', () => {
    const positions = new Float32Array([0, 0, 100, 0])
    const camera = { x: 0, y: 0, zoom: 1 }
    const middle = (bend: number, from = 0) =>
      computePoint(computeCurve({ from, to: 1 - from, bend }, positions, camera), 0.5)
    expect(middle(0)).toEqual({ x: 50, y: 0 })
    expect(middle(1).y).toBe(18)
    // From the other end, the same bend is the other side.
    expect(middle(1, 1).y).toBe(-18)
  })

  test('ends in a circle', () => {
    const circle = index('a depends_on b', 'b depends_on a')
    expect(buildGraph(circle, { focus: 'a', view: 'impact', hops: 4, most: 300 }).ids).toEqual(['a', 'b'])
  })

  test('counts devices beyond the limit', () => {
    const wide = index(...Array.from({ length: 20 }, (_, i) => `sw connected_to d${i}`))
    const { ids, left } = buildGraph(wide, { focus: 'sw', view: 'all', hops: 2, most: 10 })
    expect([ids.length, left]).toEqual([10, 11])
  })

  test('of a device without relationships is the device', () => {
    expect(buildGraph(chain, { focus: 'alone', view: 'all', hops: 2, most: 300 })).toEqual({
      ids: ['alone'],
      levels: [0],
      links: [],
      left: 0,
    })
  })

  test('has the neighbors of each device', () => {
    const graph = buildGraph(chain, { focus: 'app', view: 'impact', hops: 4, most: 300 })
    expect(listNeighbours(graph, 0).map((node) => graph.ids[node])).toEqual(['db', 'web'])
  })
})

describe('layouts', () => {
  test('put dependencies on the left and dependents on the right', () => {
    const graph = buildGraph(chain, { focus: 'app', view: 'impact', hops: 4, most: 300 })
    const positions = computeLayeredLayout(graph)
    const x = (id: string) => positions[graph.ids.indexOf(id) * 2] ?? 0
    expect([x('db') < x('app'), x('app') < x('web'), x('web') < x('lb')]).toEqual([true, true, true])
  })

  test('put no two nodes of a layer in one place', () => {
    const wide = index(...Array.from({ length: 90 }, (_, i) => `d${i} depends_on db`))
    const positions = computeLayeredLayout(buildGraph(wide, { focus: 'db', view: 'impact', hops: 1, most: 300 }))
    const places = Array.from({ length: 91 }, (_, i) => `${positions[i * 2]} ${positions[i * 2 + 1]}`)
    expect(new Set(places).size).toBe(91)
  })

  test('by forces are the same every time, and keep their distance', () => {
    const star = index(...Array.from({ length: 30 }, (_, i) => `sw connected_to d${i}`))
    const graph = buildGraph(star, { focus: 'sw', view: 'all', hops: 1, most: 300 })
    const positions = computeForceLayout(graph)
    expect(computeForceLayout(graph)).toEqual(positions)
    let least = Number.POSITIVE_INFINITY
    for (let a = 0; a < 31; a++)
      for (let b = a + 1; b < 31; b++) {
        const [dx, dy] = [0, 1].map((axis) => (positions[a * 2 + axis] ?? 0) - (positions[b * 2 + axis] ?? 0))
        least = Math.min(least, Math.hypot(dx ?? 0, dy ?? 0))
      }
    expect(least).toBeGreaterThan(20)
  })
})

describe('labels', () => {
  const label = (node: number, x: number, y: number, rank = 0) => ({ node, x, y, width: 50, rank })

  test('are placed where they fit, the more important ones first', () => {
    const kept = cullLabels([label(0, 0, 0), label(1, 20, 4, 5), label(2, 200, 0), label(3, 0, 40)])
    expect(kept.map(({ node }) => node).sort()).toEqual([1, 2, 3])
  })

  test('never overlap', () => {
    const many = Array.from({ length: 400 }, (_, i) => label(i, (i * 37) % 500, (i * 53) % 300))
    const kept = cullLabels(many)
    const overlaps = kept.filter((a) =>
      kept.some((b) => a !== b && Math.abs(a.x - b.x) < 50 && Math.abs(a.y - b.y) < 16),
    )
    expect(overlaps).toEqual([])
    expect(kept.length).toBeGreaterThan(20)
  })
})

describe('the camera', () => {
  const positions = new Float32Array([0, 0, 100, 0, 0, 200])
  const room = { top: 10, right: 10, bottom: 10, left: 10 }

  test('shows everything', () => {
    const camera = computeFit(positions, { width: 420, height: 220 }, { room, maxZoom: 2 })
    for (const index of [0, 1, 2]) {
      const { x, y } = toScreen(camera, { x: positions[index * 2] ?? 0, y: positions[index * 2 + 1] ?? 0 })
      expect(x >= 10 && x <= 410 && y >= 10 && y <= 210).toBe(true)
    }
  })

  test('keeps what is under the pointer where it is', () => {
    const at = { x: 50, y: 60 }
    const before = { x: 10, y: 20, zoom: 1 }
    const after = zoomAt(before, at, 2)
    expect(toScreen(after, { x: 40, y: 40 })).toEqual(at)
  })

  test('finds the device under the pointer', () => {
    const camera = { x: 0, y: 0, zoom: 1 }
    expect(findNode(positions, camera, { at: { x: 97, y: 4 }, reach: 12 })).toBe(1)
    expect(findNode(positions, camera, { at: { x: 50, y: 50 }, reach: 12 })).toBe(-1)
  })

  test('goes the way of the key', () => {
    expect(findTowards(positions, 0, [1, 2], { x: 1, y: 0 })).toBe(1)
    expect(findTowards(positions, 0, [1, 2], { x: 0, y: 1 })).toBe(2)
    expect(findTowards(positions, 0, [1, 2], { x: -1, y: 0 })).toBe(-1)
  })
})

test('every device has a dot of its own, in the block of its datacenter', () => {
  const { positions, blocks } = planOverview(new Uint16Array([0, 1, 0, 1, 1, 2]), 1.6)
  expect(new Set(Array.from({ length: 6 }, (_, i) => `${positions[i * 2]} ${positions[i * 2 + 1]}`)).size).toBe(6)
  expect(blocks.map(({ place, count }) => [place, count])).toEqual([
    [1, 3],
    [0, 2],
    [2, 1],
  ])
})

test.each([
  ['fra1-sw-001', [], 'network'],
  ['fra1-x-001', ['db'], 'storage'],
  ['hv02', [], 'host'],
  ['fra1-web-001', ['production'], 'server'],
] as const)('%s with tags %p is drawn as %s', (name, tags, role) => expect(detectRole({ name, tags })).toBe(role))

test('the URL holds the shown part, within bounds', () => {
  expect([parseView('impact'), parseView('nonsense'), parseView(undefined)]).toEqual(['impact', 'all', 'all'])
  expect([parseHops('1', 'all'), parseHops('9', 'all'), parseHops('x', 'impact')]).toEqual([1, 2, 4])
})

describe('the graph of switches', () => {
  const cable = (a: string, b: string, port = '1') => ({
    a: { port_id: `${a} ${b} ${port}`, port, device_id: a },
    b: { port_id: `${b} ${a} ${port}`, port, device_id: b },
  })
  const ask = (index: LinkIndex, ids: readonly string[], most = 10) =>
    buildSwitchGraph(index, { view: 'switches', ids, most })

  test('has the links between switches, and none of other devices', () => {
    const index = new LinkIndex(
      [
        { parent_id: 'spine', child_id: 'leaf1', type: 'connected_to' },
        { parent_id: 'leaf1', child_id: 'web1', type: 'connected_to' },
        { parent_id: 'spine', child_id: 'leaf2', type: 'depends_on' },
      ],
      [cable('spine', 'leaf1'), cable('spine', 'leaf2'), cable('leaf2', 'db1')] as never,
    )
    const { ids, links, left, alone } = ask(index, ['leaf1', 'leaf2', 'spine', 'lonely'])
    expect(ids[0]).toBe('spine')
    expect(ids.toSorted()).toEqual(['leaf1', 'leaf2', 'spine'])
    expect(links.map(({ from, to, type }) => [ids[from], ids[to], type])).toEqual([
      ['spine', 'leaf1', 'connected_to'],
      ['spine', 'leaf1', 'cable'],
      ['spine', 'leaf2', 'cable'],
    ])
    expect([left, alone]).toEqual([0, 1])
  })

  test('has a device that many others are cabled to, whatever its name is', () => {
    const hosts = Array.from({ length: 8 }, (_, host) => cable('box', `host${host}`))
    const index = new LinkIndex([], [...hosts, cable('box', 'sw1')] as never)
    expect(ask(index, ['sw1']).ids.toSorted()).toEqual(['box', 'sw1'])
    const fewer = new LinkIndex([], [...hosts.slice(2), cable('box', 'sw1')] as never)
    expect(ask(fewer, ['sw1']).ids).toEqual([])
  })

  test('counts the switches that its limit leaves out', () => {
    const index = new LinkIndex([], ['a', 'b', 'c', 'd'].map((leaf) => cable('spine', leaf)) as never)
    const graph = ask(index, ['a', 'b', 'c', 'd', 'spine'], 3)
    expect([graph.ids.length, graph.left, graph.links.length]).toEqual([3, 2, 2])
  })
})
