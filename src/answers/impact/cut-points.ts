/** Counts for each device how many others lose their connection without it: Tarjan's cut points, in one walk. */
import type { Breathe } from '../../base/runtime/pause.ts'
import { createSteps, type Graph } from './graph.ts'

/**
 * Returns for each device the number of devices outside of the part that would go on without it: strictly the largest part, of two devices
 * or more.
 */
export const countCutOff = async (graph: Graph, breathe: Breathe): Promise<Int32Array> => {
  const { isRetired, next } = graph
  const { starts, ends } = next.connected_to
  const nodes = graph.ids.length
  const step = createSteps(breathe)
  const counts = new Int32Array(nodes)
  const order = new Int32Array(nodes).fill(-1)
  const low = new Int32Array(nodes)
  const parent = new Int32Array(nodes).fill(-1)
  const sizes = new Int32Array(nodes)
  /** Sums and maxima of the parts below a device that its removal separates. */
  const separated = new Int32Array(nodes)
  const largest = new Int32Array(nodes)
  const isTied = new Uint8Array(nodes)
  const edge = starts.slice(0, nodes)
  const stack = new Int32Array(nodes)
  /** The devices of a component, in the order of the walk. */
  const members = new Int32Array(nodes)
  let walked = 0

  const addPart = (v: number, size: number): void => {
    const most = largest[v] ?? 0
    separated[v] = (separated[v] ?? 0) + size
    if (size === most) isTied[v] = 1
    if (size <= most) return
    largest[v] = size
    isTied[v] = 0
  }
  const leave = (v: number): void => {
    const up = parent[v] ?? -1
    if (up === -1) return
    sizes[up] = (sizes[up] ?? 0) + (sizes[v] ?? 0)
    low[up] = Math.min(low[up] ?? 0, low[v] ?? 0)
    if ((low[v] ?? 0) >= (order[up] ?? 0)) addPart(up, sizes[v] ?? 0)
  }

  for (let root = 0; root < nodes; root++) {
    if (order[root] !== -1 || isRetired[root] === 1) continue
    const begin = walked
    let top = 0
    const enter = (v: number): void => {
      order[v] = walked
      low[v] = walked
      sizes[v] = 1
      members[walked++] = v
      stack[top++] = v
    }
    enter(root)
    while (top > 0) {
      const v = stack[top - 1] ?? 0
      const at = edge[v] ?? 0
      if (at < (starts[v + 1] ?? 0)) {
        edge[v] = at + 1
        const w = ends[at] ?? 0
        if (isRetired[w] === 1) continue
        if (order[w] === -1) {
          parent[w] = v
          enter(w)
        } else low[v] = Math.min(low[v] ?? 0, order[w] ?? 0)
      } else {
        top--
        leave(v)
      }
      const turn = step()
      if (turn) await turn
    }
    const others = walked - begin - 1
    for (let at = begin; at < walked; at++) {
      const v = members[at] ?? 0
      const rest = others - (separated[v] ?? 0)
      if (rest > 0) addPart(v, rest)
      const most = largest[v] ?? 0
      counts[v] = others - (most > 1 && isTied[v] === 0 ? most : 0)
    }
    const turn = step()
    if (turn) await turn
  }
  return counts
}
