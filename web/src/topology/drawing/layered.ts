/** Places nodes in columns by level: dependencies on the left, dependents on the right. */
import type { Graph } from '../graph.ts'

export const COLUMN = 210
const ROW = 34
/** Longer columns are split, for legibility. */
const MOST_ROWS = 26
const FOLD = 150
const SWEEPS = 4

const computeMean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

/** x and y of each node, in turn. */
export const computeLayeredLayout = ({ levels, links }: Pick<Graph, 'levels' | 'links'>): Float32Array<ArrayBuffer> => {
  const columns = new Map<number, number[]>()
  for (const [node, level] of levels.entries()) columns.set(level, [...(columns.get(level) ?? []), node])
  const near = levels.map((): number[] => [])
  for (const { from, to } of links) {
    near[from]?.push(to)
    near[to]?.push(from)
  }
  const heights = new Map<number, number>()
  const place = (nodes: readonly number[]) => {
    for (const [row, node] of nodes.entries()) heights.set(node, row - (nodes.length - 1) / 2)
  }
  for (const nodes of columns.values()) place(nodes)
  const outward = [...columns.keys()].sort((a, b) => Math.abs(a) - Math.abs(b))
  // Moves each node near the mean of its neighbors, which reduces crossings.
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const level of sweep % 2 === 0 ? outward : outward.toReversed()) {
      const wanted = new Map(
        (columns.get(level) ?? []).map((node) => [
          node,
          computeMean((near[node] ?? []).map((other) => heights.get(other) ?? 0)) ?? heights.get(node) ?? 0,
        ]),
      )
      const nodes = [...wanted].sort((a, b) => a[1] - b[1] || a[0] - b[0]).map(([node]) => node)
      columns.set(level, nodes)
      place(nodes)
    }
  return computePositions(columns, levels.length)
}

const computePositions = (columns: ReadonlyMap<number, readonly number[]>, size: number): Float32Array<ArrayBuffer> => {
  const positions = new Float32Array(size * 2)
  const ordered = [...columns.keys()].sort((a, b) => a - b)
  let x = 0
  for (const level of ordered) {
    const nodes = columns.get(level) ?? []
    const folds = Math.ceil(nodes.length / MOST_ROWS)
    const rows = Math.ceil(nodes.length / folds)
    for (const [at, node] of nodes.entries()) {
      positions[node * 2] = x + Math.floor(at / rows) * FOLD
      positions[node * 2 + 1] = ((at % rows) - (rows - 1) / 2) * ROW
    }
    x += COLUMN + (folds - 1) * FOLD
  }
  return positions
}
