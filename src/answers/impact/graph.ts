/** The graph of devices and their relationships in typed arrays. Devices are numbers, in the order of their names and ids. */
import type { Breathe } from '../../base/runtime/pause.ts'
import type { RelationshipType } from '../../inventory/relationships/api.ts'

/** The neighbors of node `v` are `ends[starts[v]]` to `ends[starts[v + 1] - 1]`. */
export type Adjacency = { readonly starts: Int32Array; readonly ends: Int32Array }

export type Graph = {
  readonly ids: readonly string[]
  readonly index: ReadonlyMap<string, number>
  /** 1 for a decommissioned device. */
  readonly isRetired: Uint8Array
  /** The devices that stop with a device: its children by `contains`, its parents by `depends_on`. A link has both directions. */
  readonly next: Readonly<Record<RelationshipType, Adjacency>>
}

/** The effects in the order of the arrays. */
export const NONE = 0
export const FAILED = 1
export const STOPS = 2
export const CUT_OFF = 3

/** The types by which a device stops. */
export const STOPPING = ['contains', 'depends_on'] as const

export type Types = ReadonlySet<RelationshipType>

/** Iterations of a loop between two looks at the clock. */
const STEPS = 512

/** Creates a function that a loop awaits once in an iteration. It yields to the event loop like `breathe`. */
export const createSteps = (breathe: Breathe): Breathe => {
  let steps = 0
  return () => {
    if (++steps < STEPS) return undefined
    steps = 0
    return breathe()
  }
}

/** Edges by the numbers of their ends. */
export type Edges = { readonly from: number[]; readonly to: number[] }

/** Sorts edges by their first ends. Edges with a negative end are left out. */
export const buildAdjacency = async (nodes: number, edges: readonly Edges[], step: Breathe): Promise<Adjacency> => {
  const starts = new Int32Array(nodes + 1)
  const each = async (visit: (from: number, to: number) => void): Promise<void> => {
    for (const { from, to } of edges)
      for (let at = 0; at < from.length; at++) {
        const a = from[at] ?? -1
        const b = to[at] ?? -1
        if (a >= 0 && b >= 0) visit(a, b)
        const turn = step()
        if (turn) await turn
      }
  }
  await each((from) => {
    starts[from + 1] = (starts[from + 1] ?? 0) + 1
  })
  for (let v = 0; v < nodes; v++) starts[v + 1] = (starts[v + 1] ?? 0) + (starts[v] ?? 0)
  const ends = new Int32Array(starts[nodes] ?? 0)
  const places = starts.slice()
  await each((from, to) => {
    const place = places[from] ?? 0
    ends[place] = to
    places[from] = place + 1
  })
  return { starts, ends }
}
