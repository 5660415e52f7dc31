// A plain model has the same effects, depths and single points for random graphs.
import { describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import {
  type ModelEdge,
  type ModelEffect,
  type ModelEstate,
  modelImpact,
  modelSinglePoints,
} from '../../../testing/estates/impact-model.ts'
import { createBreathe } from '../../base/runtime/pause.ts'
import type { RelationshipType } from '../../inventory/relationships/api.ts'
import { computeDepths } from './depths.ts'
import { computeEffects } from './effects.ts'
import { buildAdjacency, createSteps, type Graph, type Types } from './graph.ts'
import { countAll } from './single-points.ts'

const TYPES: readonly RelationshipType[] = ['contains', 'depends_on', 'connected_to']
const EFFECTS = ['none', 'failed', 'stops', 'cut_off']

const step = createSteps(createBreathe())

const createRandom = (seed: number) => {
  let state = seed
  return (n: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

const toGraph = async ({ ids, retired, edges }: ModelEstate): Promise<Graph> => {
  const index = new Map(ids.map((id, node) => [id, node]))
  const ends = (type: string, isTurned: boolean) => {
    const own = edges.filter((edge) => edge.type === type)
    const parents = own.map(({ parent }) => index.get(parent) ?? -1)
    const children = own.map(({ child }) => index.get(child) ?? -1)
    return isTurned ? { from: children, to: parents } : { from: parents, to: children }
  }
  return {
    ...{ ids, index },
    isRetired: Uint8Array.from(ids.map((id) => Number(retired.has(id)))),
    next: {
      contains: await buildAdjacency(ids.length, [ends('contains', false)], step),
      depends_on: await buildAdjacency(ids.length, [ends('depends_on', true)], step),
      connected_to: await buildAdjacency(ids.length, [ends('connected_to', false), ends('connected_to', true)], step),
    },
  }
}

/** Random devices and relationships, with cycles, parallel edges, and islands. Links are trees for the most part. */
const makeEstate = (seed: number) => {
  const below = createRandom(seed)
  const size = 2 + below(24)
  const ids = Array.from({ length: size }, (_, n) => `d${(n * 7) % 31}`)
  const one = () => ids[below(size)] ?? ''
  const edges = new Map<string, ModelEdge>()
  const add = (parent: string, child: string, type: string) => {
    if (parent !== child) edges.set(`${parent} ${child} ${type}`, { parent, child, type })
  }
  const density = 1 + below(4)
  for (let n = 1; n < size; n++) {
    if (below(4) > 0) add(ids[n] ?? '', ids[below(n)] ?? '', 'connected_to')
    for (let more = below(density); more > 0; more--) add(one(), one(), TYPES[below(3)] ?? '')
  }
  const retired = new Set(ids.filter(() => below(8) === 0))
  const types = below(3) === 0 ? TYPES.filter(() => below(2) === 0) : TYPES
  const failed = [...new Set(Array.from({ length: below(4) }, one))]
  const cutOff = [...new Set(Array.from({ length: failed.length === 0 ? 1 + below(4) : below(3) }, one))].filter(
    (id) => !failed.includes(id) && !retired.has(id),
  )
  return { estate: { ids, retired, edges: [...edges.values()] }, types, failed, cutOff }
}

const findImpact = async (
  estate: ModelEstate,
  asked: { failed: readonly string[]; cutOff: readonly string[]; types: Types; limit: number },
) => {
  const graph = await toGraph(estate)
  const { types, limit } = asked
  const toNodes = (ids: readonly string[]) => ids.map((id) => graph.index.get(id) ?? -1)
  const seeds = { failed: toNodes(asked.failed), cutOff: toNodes(asked.cutOff) }
  const breathe = createBreathe()
  const effects = await computeEffects(graph, { ...seeds, types }, breathe)
  const found = await computeDepths(graph, { ...seeds, effects, types, limit }, breathe)
  return new Map(
    estate.ids.flatMap((id, node) => {
      if (effects[node] === 0 || found.depths[node] === -1) return []
      const cause = found.because[node] ?? -1
      const because = cause === -1 ? null : { device_id: estate.ids[cause] ?? '', type: found.getType(node) }
      return [[id, { effect: EFFECTS[effects[node] ?? 0], depth: found.depths[node], because }]]
    }),
  )
}

const toSorted = (effects: ReadonlyMap<string, unknown>) => [...effects].sort(([a], [b]) => (a < b ? -1 : 1))

const CASES = countCases(10_000)

describe('random graphs', () => {
  test('have the effects, depths and causes of the plain model', async () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= CASES; seed++) {
      const { estate, types, failed, cutOff } = makeEstate(seed)
      const expected = modelImpact(estate, { failed, cutOff, types })
      const found = await findImpact(estate, { failed, cutOff, types: new Set(types), limit: Number.POSITIVE_INFINITY })
      expect([seed, ...toSorted(found)]).toEqual([seed, ...toSorted(expected)])
      for (const { effect, depth } of expected.values()) seen.add(`${effect} ${depth}`)
    }
    // The cases are worth comparing: some devices are far away in both ways.
    expect([seen.has('stops 5'), seen.has('cut_off 5')]).toEqual([true, true])
  }, 120_000)

  test('have the devices up to a depth', async () => {
    for (let seed = 1; seed <= CASES / 10; seed++) {
      const { estate, types, failed, cutOff } = makeEstate(seed)
      for (const limit of [1, 2]) {
        const expected = [...modelImpact(estate, { failed, cutOff, types })].filter(([, one]) => one.depth <= limit)
        const found = await findImpact(estate, { failed, cutOff, types: new Set(types), limit })
        expect([seed, ...toSorted(found)]).toEqual([seed, ...toSorted(new Map<string, ModelEffect>(expected))])
      }
    }
  }, 120_000)

  test('have the single points of the plain model', async () => {
    for (let seed = 1; seed <= CASES / 4; seed++) {
      const { estate, types } = makeEstate(seed)
      const { stops, cutOff } = await countAll(await toGraph(estate), new Set(types), createBreathe())
      const found = estate.ids.flatMap((id, node) =>
        estate.retired.has(id) ? [] : [{ id, stops: stops[node], cut_off: cutOff[node] }],
      )
      expect([seed, ...found]).toEqual([seed, ...modelSinglePoints(estate, types)])
    }
  }, 120_000)
})

/** A graph of relationships of one type. */
const makeGraph = async (
  type: RelationshipType,
  size: number,
  edges: (node: number) => readonly number[],
): Promise<Graph> => {
  const from: number[] = []
  const to: number[] = []
  for (let node = 0; node < size; node++)
    for (const other of edges(node)) {
      from.push(node)
      to.push(other)
    }
  const ids = Array.from({ length: size }, (_, node) => String(node))
  const none = await buildAdjacency(size, [], step)
  const own =
    type === 'connected_to'
      ? [
          { from, to },
          { from: to, to: from },
        ]
      : [{ from, to }]
  return {
    ...{ ids, index: new Map(ids.map((id, node) => [id, node])), isRetired: new Uint8Array(size) },
    next: {
      ...{ contains: none, depends_on: none, connected_to: none },
      [type]: await buildAdjacency(size, own, step),
    },
  }
}

describe('large graphs', () => {
  const SIZE = 50_000
  const types = new Set(TYPES)

  test('a chain of dependencies counts all behind each device, without recursion', async () => {
    const graph = await makeGraph('depends_on', SIZE, (node) => (node + 1 < SIZE ? [node + 1] : []))
    const { stops } = await countAll(graph, types, createBreathe())
    expect([stops[0], stops[SIZE / 2], stops[SIZE - 1]]).toEqual([SIZE - 1, SIZE / 2 - 1, 0])
  }, 120_000)

  test('a chain of links counts the smaller side of each device', async () => {
    const graph = await makeGraph('connected_to', SIZE, (node) => (node + 1 < SIZE ? [node + 1] : []))
    const { cutOff } = await countAll(graph, types, createBreathe())
    expect([cutOff[0], cutOff[10], cutOff[SIZE - 3]]).toEqual([0, 10, 2])
  }, 120_000)

  test('a switch with very many links cuts all of them off', async () => {
    const graph = await makeGraph('connected_to', SIZE, (node) => (node === 0 ? [] : [0]))
    const effects = await computeEffects(graph, { failed: [0], cutOff: [], types }, createBreathe())
    expect(effects.filter((effect) => EFFECTS[effect] === 'cut_off').length).toBe(SIZE - 1)
  }, 120_000)

  test('a computation ends when its client has left', async () => {
    const graph = await makeGraph('depends_on', SIZE, (node) => (node + 1 < SIZE ? [node + 1] : []))
    const computing = countAll(graph, types, createBreathe(AbortSignal.abort(new Error('left'))))
    await expect(computing).rejects.toThrow('left')
  }, 120_000)

  test('a ring of dependencies stops as a whole', async () => {
    const graph = await makeGraph('contains', SIZE, (node) => [(node + 1) % SIZE])
    const { stops } = await countAll(graph, types, createBreathe())
    expect([stops[0], stops[SIZE - 1]]).toEqual([SIZE - 1, SIZE - 1])
  }, 120_000)
})
