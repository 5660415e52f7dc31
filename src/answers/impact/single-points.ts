/** Lists the devices on which most others hang. */
import { type Breathe, createBreathe } from '../../base/runtime/pause.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { SinglePoint } from './api.ts'
import { countCutOff } from './cut-points.ts'
import { createSteps, type Graph, type Types } from './graph.ts'
import { loadGraph } from './load-graph.ts'
import { countStops } from './reach-counts.ts'
import { findDevices } from './store.ts'

/** A device with fewer is a pair at most. */
const LEAST = 2

export type Counts = { readonly stops: Int32Array; readonly cutOff: Int32Array }

/** Counts the devices that follow each device by dependencies only, and by links only. */
export const countAll = async (graph: Graph, types: Types, breathe: Breathe): Promise<Counts> => {
  const none = new Int32Array(graph.ids.length)
  return {
    stops: await countStops(graph, types, breathe),
    cutOff: types.has('connected_to') ? await countCutOff(graph, breathe) : none,
  }
}

/** Returns the nodes with the largest sums. Nodes are in the order of names, which decides between equal sums. */
const selectLargest = async ({ stops, cutOff }: Counts, limit: number, breathe: Breathe): Promise<number[]> => {
  const step = createSteps(breathe)
  const bySum = new Map<number, number[]>()
  for (let node = 0; node < stops.length; node++) {
    const sum = (stops[node] ?? 0) + (cutOff[node] ?? 0)
    const turn = step()
    if (turn) await turn
    if (sum < LEAST) continue
    const nodes = bySum.get(sum)
    if (nodes === undefined) bySum.set(sum, [node])
    else if (nodes.length < limit) nodes.push(node)
  }
  const sums = [...bySum].sort(([a], [b]) => b - a)
  return sums.flatMap(([, nodes]) => nodes).slice(0, limit)
}

export const findSinglePoints = async (
  ctx: Ctx,
  { types, limit }: { readonly types: Types; readonly limit: number },
): Promise<SinglePoint[]> => {
  const graph = await loadGraph(ctx)
  const breathe = createBreathe(ctx.signal)
  const counts = await countAll(graph, types, breathe)
  const nodes = await selectLargest(counts, limit, breathe)
  const rows = await findDevices(
    ctx,
    nodes.map((node) => graph.ids[node] ?? ''),
  )
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return nodes.flatMap((node) => {
    const device_id = graph.ids[node] ?? ''
    const name = names.get(device_id)
    if (name === undefined) return []
    return { device_id, name, stops: counts.stops[node] ?? 0, cut_off: counts.cutOff[node] ?? 0 }
  })
}
