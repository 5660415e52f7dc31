/** Finds the devices that stop with each other: Tarjan's strongly connected components, without recursion. */
import type { Breathe } from '../../base/runtime/pause.ts'
import type { Adjacency, Graph } from './graph.ts'

export type StrongComponents = {
  /** The component of each device; -1 for decommissioned ones. An edge leads to the same component or to one with a smaller number. */
  readonly components: Int32Array
  readonly count: number
  /** The number of devices of each component. */
  readonly sizes: Int32Array
}

export const findStrongComponents = async (
  { ids, isRetired }: Pick<Graph, 'ids' | 'isRetired'>,
  edges: readonly Adjacency[],
  step: Breathe,
): Promise<StrongComponents> => {
  const nodes = ids.length
  const components = new Int32Array(nodes).fill(-1)
  const sizes = new Int32Array(nodes)
  const order = new Int32Array(nodes).fill(-1)
  const low = new Int32Array(nodes)
  /** The next edge of each device, counted over all its adjacencies. */
  const edge = new Int32Array(nodes)
  const path = new Int32Array(nodes)
  const open = new Int32Array(nodes)
  let [walked, opened, count] = [0, 0, 0]

  const getNeighbor = (v: number, number: number): number => {
    let left = number
    for (const { starts, ends } of edges) {
      const begin = starts[v] ?? 0
      const length = (starts[v + 1] ?? 0) - begin
      if (left < length) return ends[begin + left] ?? -1
      left -= length
    }
    return -1
  }
  const close = (v: number): void => {
    for (let w = -1; w !== v; ) {
      w = open[--opened] ?? v
      components[w] = count
      sizes[count] = (sizes[count] ?? 0) + 1
    }
    count++
  }

  for (let root = 0; root < nodes; root++) {
    if (order[root] !== -1 || isRetired[root] === 1) continue
    let top = 0
    const enter = (v: number): void => {
      order[v] = walked
      low[v] = walked++
      open[opened++] = v
      path[top++] = v
    }
    enter(root)
    while (top > 0) {
      const v = path[top - 1] ?? 0
      const w = getNeighbor(v, edge[v] ?? 0)
      if (w === -1) {
        top--
        if (low[v] === order[v]) close(v)
        const up = path[top - 1] ?? 0
        if (top > 0) low[up] = Math.min(low[up] ?? 0, low[v] ?? 0)
      } else {
        edge[v] = (edge[v] ?? 0) + 1
        if (isRetired[w] === 1) continue
        if (order[w] === -1) enter(w)
        else if (components[w] === -1) low[v] = Math.min(low[v] ?? 0, order[w] ?? 0)
      }
      const turn = step()
      if (turn) await turn
    }
  }
  return { components, count, sizes: sizes.slice(0, count) }
}
