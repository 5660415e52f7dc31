/** Counts for each device how many others stop with it. */
import type { Breathe } from '../../base/runtime/pause.ts'
import { type Adjacency, buildAdjacency, createSteps, type Edges, type Graph, STOPPING, type Types } from './graph.ts'
import { findStrongComponents } from './strong-components.ts'

/** The bits of a mask. */
const BLOCK = 32
/** If more than one in so many components are to be visited, visiting all of them is cheaper than sorting these. */
const DENSE = 8

const countBits = (mask: number): number => {
  const pairs = mask - ((mask >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Returns for each component the components with an edge to it. */
const buildPredecessors = async (
  { components, count }: { readonly components: Int32Array; readonly count: number },
  stopping: readonly Adjacency[],
  step: Breathe,
): Promise<Adjacency> => {
  const edges: Edges = { from: [], to: [] }
  for (let v = 0; v < components.length; v++) {
    const own = components[v] ?? -1
    for (const { starts, ends } of own === -1 ? [] : stopping)
      for (let at = starts[v] ?? 0; at < (starts[v + 1] ?? 0); at++) {
        const other = components[ends[at] ?? 0] ?? -1
        if (other === -1 || other === own) continue
        edges.from.push(other)
        edges.to.push(own)
      }
    const turn = step()
    if (turn) await turn
  }
  return buildAdjacency(count, [edges], step)
}

/**
 * Returns for each device the number of devices that stop with it. Devices that stop with each other are one component. The components
 * are followed to their predecessors 32 at a time, as bits of a mask: at most (devices / 32) x (devices + relationships) steps.
 */
export const countStops = async (graph: Graph, types: Types, breathe: Breathe): Promise<Int32Array> => {
  const step = createSteps(breathe)
  const stopping = STOPPING.filter((type) => types.has(type)).map((type) => graph.next[type])
  const found = await findStrongComponents(graph, stopping, step)
  const { components, count, sizes } = found
  const { starts, ends } = await buildPredecessors(found, stopping, step)
  const totals = new Int32Array(count)
  const masks = new Int32Array(count)
  const isFound = new Uint8Array(count)
  const queue = new Int32Array(count)

  const weigh = (mask: number, first: number, isEven: boolean): number => {
    if (isEven) return countBits(mask)
    let weight = 0
    for (let bit = 0; bit < BLOCK; bit++) if ((mask >>> bit) & 1) weight += sizes[first + bit] ?? 0
    return weight
  }

  for (let first = 0; first < count; first += BLOCK) {
    const end = Math.min(first + BLOCK, count)
    let tail = 0
    let isEven = true
    for (let c = first; c < end; c++) {
      masks[c] = 1 << (c - first)
      isFound[c] = 1
      queue[tail++] = c
      if (sizes[c] !== 1) isEven = false
    }
    for (let head = 0; head < tail; head++) {
      const c = queue[head] ?? 0
      for (let at = starts[c] ?? 0; at < (starts[c + 1] ?? 0); at++) {
        const before = ends[at] ?? 0
        if (isFound[before] === 1) continue
        isFound[before] = 1
        queue[tail++] = before
      }
      const turn = step()
      if (turn) await turn
    }
    const visit = (c: number): void => {
      const mask = masks[c] ?? 0
      totals[c] = (totals[c] ?? 0) + weigh(mask, first, isEven)
      for (let at = starts[c] ?? 0; at < (starts[c + 1] ?? 0); at++) {
        const before = ends[at] ?? 0
        masks[before] = (masks[before] ?? 0) | mask
      }
      masks[c] = 0
      isFound[c] = 0
    }
    // A component comes before its predecessors, so its mask is complete when it is visited.
    const isDense = tail * DENSE > count - first
    const some = isDense ? queue.subarray(0, 0) : queue.subarray(0, tail).sort()
    for (const c of some) {
      visit(c)
      const turn = step()
      if (turn) await turn
    }
    for (let c = first; isDense && c < count; c++) {
      if (isFound[c] === 1) visit(c)
      const turn = step()
      if (turn) await turn
    }
  }
  return components.map((component) => (component === -1 ? 0 : (totals[component] ?? 0) - 1))
}
