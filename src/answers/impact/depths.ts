/** Finds for each affected device how far it is from the failed ones, and the neighbor by which it follows. A pure function of the graph. */
import type { Breathe } from '../../base/runtime/pause.ts'
import type { RelationshipType } from '../../inventory/relationships/api.ts'
import type { Seeds } from './effects.ts'
import { CUT_OFF, createSteps, FAILED, type Graph, STOPS, type Types } from './graph.ts'

/** The first one counts, of two types between the same devices. */
const WAYS = [
  { type: 'contains', effect: STOPS },
  { type: 'depends_on', effect: STOPS },
  { type: 'connected_to', effect: CUT_OFF },
] as const satisfies readonly { type: RelationshipType; effect: number }[]

export type Depths = {
  /** 0 for failed devices; -1 for devices that are not affected or farther than the limit. */
  readonly depths: Int32Array
  /** The neighbor by which a device follows; -1 for none. */
  readonly because: Int32Array
  /** Returns the type of the relationship with that neighbor. */
  readonly getType: (node: number) => RelationshipType
}

/**
 * Walks the affected devices level by level. A device follows by the neighbor with the least depth, then the least id.
 * @param limit the greatest depth to find
 */
export const computeDepths = async (
  graph: Graph,
  { failed, cutOff, effects, types, limit }: Seeds & { effects: Uint8Array; types: Types; limit: number },
  breathe: Breathe,
): Promise<Depths> => {
  const nodes = graph.ids.length
  const step = createSteps(breathe)
  const depths = new Int32Array(nodes).fill(-1)
  const because = new Int32Array(nodes).fill(-1)
  const ways = new Uint8Array(nodes)
  const isLess = (a: number, b: number): boolean => (graph.ids[a] ?? '') < (graph.ids[b] ?? '')
  const followed = WAYS.flatMap((way, number) => (types.has(way.type) ? [{ ...way, number }] : []))
  // Devices without a network have a depth of their own, and no neighbor.
  const lonely = cutOff.filter((node) => effects[node] === CUT_OFF)
  for (const node of lonely) depths[node] = 1
  let level = failed.filter((node) => effects[node] === FAILED)
  for (const node of level) depths[node] = 0
  for (let depth = 1; depth <= limit && (level.length > 0 || depth === 1); depth++) {
    const next: number[] = depth === 1 ? [...lonely] : []
    for (const v of level) {
      for (const { type, effect, number } of followed) {
        const { starts, ends } = graph.next[type]
        for (let at = starts[v] ?? 0; at < (starts[v + 1] ?? 0); at++) {
          const w = ends[at] ?? 0
          if (effects[w] !== effect) continue
          const known = because[w] ?? -1
          if (depths[w] === -1) next.push(w)
          else if (depths[w] !== depth || known === -1 || !isLess(v, known)) continue
          depths[w] = depth
          because[w] = v
          ways[w] = number
        }
      }
      const turn = step()
      if (turn) await turn
    }
    level = next
  }
  return { depths, because, getType: (node) => WAYS[ways[node] ?? 0]?.type ?? 'contains' }
}
