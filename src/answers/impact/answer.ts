/** Builds the answer of an impact, with the names of the devices that it lists. */
import { type Breathe, createBreathe } from '../../base/runtime/pause.ts'
import type { ImpactCounts } from '../../contract/impact-summary.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { JsonText } from '../../kernel/handler-result.ts'
import type { AffectedDevice, Effect, Impact, ImpactDevice } from './api.ts'
import { computeDepths } from './depths.ts'
import { computeEffects } from './effects.ts'
import { CUT_OFF, FAILED, type Graph, NONE, STOPS, type Types } from './graph.ts'
import { type DeviceName, findDevices, mergeByName } from './store.ts'

/** The devices that go away, and those that lose a network, each in the order of names. No device is in two lists. */
export type Named = {
  readonly failed: readonly DeviceName[]
  readonly cutOff: readonly DeviceName[]
  readonly degraded: readonly DeviceName[]
}

/** Separates the devices of the graph from devices without relationships, which it leaves out. */
const split = (graph: Graph, devices: readonly DeviceName[]) => {
  const nodes: number[] = []
  const others: DeviceName[] = []
  for (const device of devices) {
    const node = graph.index.get(device.id)
    if (node === undefined) others.push(device)
    else nodes.push(node)
  }
  return { nodes, others }
}

/** The devices that are described between two looks at the clock. */
const BATCH = 256

/** Reads the rows of nodes, in their order. Devices that were deleted since are left out. */
const readRows = async (
  ctx: Ctx,
  { ids }: Graph,
  { nodes, breathe }: { readonly nodes: readonly number[]; readonly breathe: Breathe },
): Promise<DeviceName[]> => {
  const rows: DeviceName[] = []
  for (let from = 0; from < nodes.length; from += BATCH) {
    const some = nodes.slice(from, from + BATCH).map((node) => ids[node] ?? '')
    const byId = new Map((await findDevices(ctx, some)).map((row) => [row.id, row]))
    rows.push(...some.flatMap((id) => byId.get(id) ?? []))
    await breathe()
  }
  return rows
}

/** Writes the JSON of rows piece by piece. */
const formatRows = async <T>(
  rows: readonly T[],
  { toObject, breathe }: { readonly toObject: (row: T) => object; readonly breathe: Breathe },
): Promise<string> => {
  const pieces: string[] = []
  for (let from = 0; from < rows.length; from += BATCH) {
    pieces.push(
      rows
        .slice(from, from + BATCH)
        .map((row) => JSON.stringify(toObject(row)))
        .join(),
    )
    await breathe()
  }
  return pieces.join()
}

const toDevice = ({ id, name }: DeviceName): ImpactDevice => ({ device_id: id, name })

type Asked = Named & { readonly graph: Graph; readonly types: Types; readonly limit: number }

/** Returns the devices that are not affected in another way. */
const filterImpaired = (graph: Graph, effects: Uint8Array, degraded: readonly DeviceName[]): DeviceName[] =>
  degraded.filter(({ id }) => (effects[graph.index.get(id) ?? -1] ?? NONE) === NONE)

/** Counts the devices that follow, without their names. */
export const countImpact = async (
  { signal }: Pick<Ctx, 'signal'>,
  { graph, failed, cutOff, degraded, types }: Omit<Asked, 'limit'>,
): Promise<ImpactCounts> => {
  const lost = split(graph, cutOff)
  const seeds = { failed: split(graph, failed).nodes, cutOff: lost.nodes, types }
  const effects = await computeEffects(graph, seeds, createBreathe(signal))
  const count = (effect: number): number => effects.reduce((sum, one) => (one === effect ? sum + 1 : sum), 0)
  return {
    stops: count(STOPS),
    cut_off: count(CUT_OFF) + lost.others.length,
    degraded: filterImpaired(graph, effects, degraded).length,
  }
}

export const buildImpact = async (
  ctx: Ctx,
  { graph, failed, cutOff, degraded, types, limit }: Asked,
): Promise<JsonText<Impact>> => {
  const breathe = createBreathe(ctx.signal)
  const lost = split(graph, cutOff)
  const seeds = { failed: split(graph, failed).nodes, cutOff: lost.nodes }
  const effects = await computeEffects(graph, { ...seeds, types }, breathe)
  const found = await computeDepths(graph, { ...seeds, effects, types, limit }, breathe)

  /** The affected nodes by depth, each in the order of names. */
  const levels: number[][] = [[], []]
  let left = 0
  effects.forEach((effect, node) => {
    if (effect === NONE || effect === FAILED) return
    const depth = found.depths[node] ?? -1
    if (depth === -1) left++
    else {
      levels[depth] ??= []
      levels[depth].push(node)
    }
  })
  const counts: Record<Effect, number> = { stops: 0, cut_off: 0 }
  const describe = (row: DeviceName): AffectedDevice => {
    const node = graph.index.get(row.id) ?? -1
    const neighbor = found.because[node] ?? -1
    const effect = effects[node] === STOPS ? 'stops' : 'cut_off'
    counts[effect]++
    return {
      ...toDevice(row),
      // The contract validated the column's value.
      status: row.status as AffectedDevice['status'],
      datacenter_id: row.datacenter_id,
      effect,
      depth: found.depths[node] ?? 1,
      because: neighbor === -1 ? null : { device_id: graph.ids[neighbor] ?? '', type: found.getType(node) },
    }
  }
  const affected: string[] = []
  for (const [depth, nodes] of levels.entries()) {
    const rows = await readRows(ctx, graph, { nodes, breathe })
    // Devices without relationships are not in the graph.
    const merged = depth === 1 ? mergeByName(rows, lost.others) : rows
    if (merged.length > 0) affected.push(await formatRows(merged, { toObject: describe, breathe }))
  }
  const impaired = filterImpaired(graph, effects, degraded)
  const parts = [
    `"failed":[${await formatRows(failed, { toObject: toDevice, breathe })}]`,
    `"affected":[${affected.join()}]`,
    `"degraded":[${await formatRows(impaired, { toObject: toDevice, breathe })}]`,
    `"counts":${JSON.stringify({ failed: failed.length, ...counts, degraded: impaired.length })}`,
    `"is_truncated":${left > 0}`,
  ]
  return new JsonText(`{${parts.join()}}`)
}
