/** Reads the graph of the visible devices, and keeps the last ones by the revision of their tables. */
import { type Breathe, createBreathe } from '../../base/runtime/pause.ts'
import { transactionState } from '../../database/transaction-state.ts'
import type { RelationshipType } from '../../inventory/relationships/api.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type CableRow, type DeviceLink, PanelPaths, selectCables } from './cable-links.ts'
import { buildAdjacency, createSteps, type Edges, type Graph } from './graph.ts'

const TABLES = ['devices', 'relationships', 'cables', 'ports'] as const

/** Bytes of a device with its id and its number, and of an end of a relationship. */
const DEVICE_BYTES = 120
const END_BYTES = 4
/** The most bytes of kept graphs beside the last one. */
const MAX_OTHERS_BYTES = 32 * 1024 * 1024
/** The most graphs that are kept, one for each set of scopes. */
const MAX_GRAPHS = 4

type Kept = { readonly graph: Promise<Graph>; bytes: number }
type KeptGraphs = {
  /** The revision of the whole tables, by which graphs of earlier commits are dropped. */
  whole: string
  /** Keyed by revision, the last used one at the end. */
  readonly graphs: Map<string, Kept>
}

const keptGraphs = transactionState((): KeptGraphs => ({ whole: '', graphs: new Map() }))

const measure = ({ ids, next }: Graph): number =>
  ids.length * DEVICE_BYTES + Object.values(next).reduce((sum, { ends }) => sum + ends.length * END_BYTES, 0)

type RelationshipRow = { readonly a: string; readonly b: string; readonly type: RelationshipType }
type DeviceRow = { readonly a: string; readonly b: string; readonly type: null }
type Row = RelationshipRow | CableRow | DeviceRow

/** Relationships and cables, then devices in the order of names, of one snapshot. */
const scanRows = (ctx: Ctx): AsyncGenerator<Row[]> =>
  ctx.store.scan<Row>(
    // The contract validated the column's value.
    ctx.db
      .selectFrom('relationships')
      .select(['parent_id as a', 'child_id as b'])
      .select((eb) => eb.ref('type').$castTo<RelationshipType>().as('type')),
    selectCables(ctx),
    ctx.db
      .selectFrom('devices')
      .select((eb) => ['id as a', 'status as b', eb.val(null).as('type')])
      .orderBy('name_order')
      .orderBy('id'),
  )

/** Collects the edges of relationships and cables. Their devices get numbers in the order in which they are met. */
class EdgeCollector {
  readonly numbers = new Map<string, number>()
  readonly edges: Readonly<Record<RelationshipType, Edges>> = {
    contains: { from: [], to: [] },
    connected_to: { from: [], to: [] },
    depends_on: { from: [], to: [] },
  }
  readonly #panels = new PanelPaths()

  add(row: RelationshipRow | CableRow): void {
    if (row.type !== 'cable') this.#push(row.type, row.a, row.b)
    else this.#link(this.#panels.add(row))
  }

  /** Adds the links through panels, once all cables are added. */
  async joinPanels(step: Breathe): Promise<void> {
    for (const link of this.#panels.join()) {
      this.#link(link)
      const turn = step()
      if (turn) await turn
    }
  }

  #link(link: DeviceLink | undefined): void {
    // A cable within one device connects it to nothing.
    if (link && link[0] !== link[1]) this.#push('connected_to', ...link)
  }

  #push(type: RelationshipType, a: string, b: string): void {
    this.edges[type].from.push(this.#number(a))
    this.edges[type].to.push(this.#number(b))
  }

  #number(id: string): number {
    const known = this.numbers.get(id)
    if (known !== undefined) return known
    this.numbers.set(id, this.numbers.size)
    return this.numbers.size - 1
  }
}

const readGraph = async (ctx: Ctx): Promise<Graph> => {
  const breathe = createBreathe()
  const step = createSteps(breathe)
  const collector = new EdgeCollector()
  const { numbers, edges } = collector
  const ids: string[] = []
  const retired: number[] = []
  const index = new Map<string, number>()
  /** The numbers of devices in the graph, by their numbers in the edges; -1 for a device that is not visible. */
  let places: Int32Array | undefined
  for await (const rows of scanRows(ctx)) {
    // The graph has only devices with relationships or cables.
    if (places?.length === 0) break
    for (const row of rows) {
      if (row.type !== null) {
        collector.add(row)
        continue
      }
      if (!places) {
        await collector.joinPanels(step)
        places = new Int32Array(numbers.size).fill(-1)
      }
      const seen = numbers.get(row.a)
      if (seen === undefined) continue
      places[seen] = ids.length
      index.set(row.a, ids.length)
      ids.push(row.a)
      retired.push(row.b === 'decommissioned' ? 1 : 0)
    }
  }
  const place = async (numbered: number[]): Promise<void> => {
    for (let at = 0; at < numbered.length; at++) {
      numbered[at] = places?.[numbered[at] ?? 0] ?? -1
      const turn = step()
      if (turn) await turn
    }
  }
  const build = async (type: RelationshipType): Promise<Edges> => {
    await place(edges[type].from)
    await place(edges[type].to)
    return edges[type]
  }
  const turn = (edge: Edges): Edges => ({ from: edge.to, to: edge.from })
  const [contains, depends, links] = [await build('contains'), await build('depends_on'), await build('connected_to')]
  const next = {
    contains: await buildAdjacency(ids.length, [contains], step),
    depends_on: await buildAdjacency(ids.length, [turn(depends)], step),
    connected_to: await buildAdjacency(ids.length, [links, turn(links)], step),
  }
  return { ids, index, isRetired: Uint8Array.from(retired), next }
}

/** Drops the least recently used graphs beyond the bounds. */
const dropOldest = (graphs: Map<string, Kept>): void => {
  let bytes = 0
  for (const [place, [revision, one]] of [...graphs].reverse().entries()) {
    if (place > 0) bytes += one.bytes
    if (place >= MAX_GRAPHS || bytes > MAX_OTHERS_BYTES) graphs.delete(revision)
  }
}

/** Returns the graph of the devices and relationships that the caller sees. Calls at once share it. */
export const loadGraph = async (ctx: Ctx): Promise<Graph> => {
  const whole = await ctx.unscoped.store.revision(TABLES)
  const revision = await ctx.store.revision(TABLES)
  const known = ctx.store.cache.local(keptGraphs)
  if (known.whole !== whole) {
    known.whole = whole
    known.graphs.clear()
  }
  const { graphs } = known
  const one = graphs.get(revision) ?? { graph: readGraph(ctx), bytes: 0 }
  graphs.delete(revision)
  graphs.set(revision, one)
  try {
    const graph = await one.graph
    one.bytes = measure(graph)
    dropOldest(graphs)
    return graph
  } catch (error) {
    if (graphs.get(revision) === one) graphs.delete(revision)
    throw error
  }
}
