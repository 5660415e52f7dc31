/** The relationships as a graph, and what of it hangs together with one device. Knows neither drawing nor the network. */
import type { Relationship } from '../api/contracts.ts'

export const VIEWS = ['all', 'connections', 'containment', 'impact'] as const
export type View = (typeof VIEWS)[number]

export type LinkType = Relationship['type']

const TYPES: Readonly<Record<View, readonly LinkType[]>> = {
  all: ['connected_to', 'contains', 'depends_on'],
  connections: ['connected_to'],
  containment: ['contains'],
  impact: ['depends_on'],
}

/** Chains of need are long and thin; everything else is as wide as a switch has ports. */
export const MOST_HOPS: Readonly<Record<View, number>> = { all: 2, connections: 2, containment: 2, impact: 4 }

/** More than this nobody reads: unless they ask for it. */
export const MOST_NODES = 300
/** More than this nothing is drawn smoothly on a small machine. */
export const EVEN_MORE_NODES = 1000

export type GraphQuery = {
  readonly focus: string
  readonly view: View
  readonly hops: number
  /** Devices that there is room for. */
  readonly most: number
}

/** From parent to child, as places in `ids`. */
export type GraphLink = { readonly from: number; readonly to: number; readonly type: LinkType }

export type Graph = {
  /** The focus is the first. */
  readonly ids: readonly string[]
  /** Hops from the focus; in the view of impact below zero for what the focus needs, above for what needs it. */
  readonly levels: readonly number[]
  readonly links: readonly GraphLink[]
  /** Devices next to those shown for which there was no room. */
  readonly left: number
}

type Edge = { readonly parent: string; readonly child: string; readonly type: LinkType }

export class LinkIndex {
  readonly #edges = new Map<string, Edge[]>()
  readonly size: number

  constructor(rows: readonly Pick<Relationship, 'parent_id' | 'child_id' | 'type'>[]) {
    this.size = rows.length
    for (const { parent_id: parent, child_id: child, type } of rows) {
      const edge = { parent, child, type }
      for (const id of [parent, child]) {
        const known = this.#edges.get(id)
        if (known) known.push(edge)
        else this.#edges.set(id, [edge])
      }
    }
  }

  of(id: string): readonly Edge[] {
    return this.#edges.get(id) ?? []
  }
}

/** The level of what is at the other end, or undefined if the way does not go there. */
const nextLevel = (view: View, level: number, isParent: boolean): number | undefined => {
  if (view !== 'impact') return level + 1
  // A parent needs its child. What fails with the focus is found by going up alone, what it needs by going down alone.
  if (isParent) return level <= 0 ? level - 1 : undefined
  return level >= 0 ? level + 1 : undefined
}

/** The surroundings of the focus, nearest first. */
export const graphAround = (index: LinkIndex, query: GraphQuery): Graph => {
  const { focus, view, hops, most } = query
  const types = new Set(TYPES[view])
  const places = new Map([[focus, 0]])
  const ids = [focus]
  const levels = [0]
  const left = new Set<string>()
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] ?? ''
    const level = levels[at] ?? 0
    if (Math.abs(level) >= hops) continue
    for (const { parent, child, type } of index.of(id)) {
      const other = parent === id ? child : parent
      const next = nextLevel(view, level, parent === id)
      if (!types.has(type) || next === undefined || places.has(other)) continue
      if (ids.length >= most) {
        left.add(other)
        continue
      }
      places.set(other, ids.length)
      ids.push(other)
      levels.push(next)
    }
  }
  const links: GraphLink[] = []
  for (const [from, id] of ids.entries())
    for (const { parent, child, type } of index.of(id)) {
      const to = places.get(child)
      // Each edge is found at both of its ends, and taken at its parent.
      if (parent === id && to !== undefined && types.has(type)) links.push({ from, to, type })
    }
  return { ids, levels, links, left: left.size }
}

/** The places of the nodes next to one. */
export const neighboursOf = ({ links }: Pick<Graph, 'links'>, node: number): number[] => [
  ...new Set(links.flatMap(({ from, to }) => (from === node ? [to] : to === node ? [from] : []))),
]
