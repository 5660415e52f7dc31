/**
 * The graph of relationships and cables, the subgraph around one device, and that of the switches. Independent of drawing and
 * requests.
 */
import type { Relationship } from '../api/contracts.ts'
import type { Cable } from '../cables/fields.ts'

export const VIEWS = ['all', 'connections', 'containment', 'impact'] as const
export type View = (typeof VIEWS)[number]

export type LinkType = Relationship['type'] | 'cable'

/** `switches` and `affected` have no device in the middle. */
export type Picture = View | 'switches' | 'affected'

const TYPES: Readonly<Record<View, readonly LinkType[]>> = {
  all: ['connected_to', 'contains', 'depends_on', 'cable'],
  connections: ['connected_to', 'cable'],
  containment: ['contains'],
  impact: ['depends_on'],
}

/** Chains of dependencies are long and thin. Other views are as wide as a switch has ports. */
export const MOST_HOPS: Readonly<Record<View, number>> = { all: 2, connections: 2, containment: 2, impact: 4 }

/** The default limit, up to which a graph is readable. */
export const MOST_NODES = 300
/** The upper limit, up to which a small machine draws smoothly. */
export const EVEN_MORE_NODES = 1000

export type GraphQuery = {
  readonly focus: string
  readonly view: View
  readonly hops: number
  /** The maximum number of devices. */
  readonly most: number
}

/** Asks for the links between the switches. */
export type SwitchQuery = {
  readonly view: 'switches'
  /** The devices that are switches by their names and tags. */
  readonly ids: readonly string[]
  readonly most: number
}

/** The names of the ports of a cable, at each end. */
export type Ports = readonly [from: string, to: string]

/** From parent to child, as indexes of `ids`. A cable goes from its end A to its end B. */
export type GraphLink = {
  readonly from: number
  readonly to: number
  readonly type: LinkType
  /** Set for a cable. */
  readonly ports?: Ports
  /** Set for cables that are joined: the number of devices in between. */
  readonly through?: number
  /** Set for a cable beside other links of its devices: how far to which side it is drawn. */
  readonly bend?: number
}

export type Graph = {
  /** The focus is the first. */
  readonly ids: readonly string[]
  /** Hops from the focus. In the impact view, dependencies of the focus are negative, and dependents are positive. */
  readonly levels: readonly number[]
  readonly links: readonly GraphLink[]
  /** The number of neighbors that the limit left out. */
  readonly left: number
  /** The number of switches that have no link to another. */
  readonly alone?: number
}

type Edge = {
  readonly parent: string
  readonly child: string
  readonly type: LinkType
  readonly ports?: Ports | undefined
  readonly through?: number | undefined
}

type LinkRow = { readonly parent_id: string; readonly child_id: string; readonly type: LinkType }
type CableRow = Pick<Cable, 'a' | 'b'> & { readonly through?: readonly string[] }

/** True for a cable between two devices. A cable within one device connects it to nothing. */
const isBetween = ({ a, b }: CableRow): boolean => a.device_id !== b.device_id

const toLinkRow = ({ a, b }: CableRow): LinkRow => ({ parent_id: a.device_id, child_id: b.device_id, type: 'cable' })

const LINK_TYPES = TYPES.all

/** All relationships and cables by both ends, in typed arrays: an object for each would slow garbage collection. */
export class LinkIndex {
  readonly #numbers = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #parents: Uint32Array
  readonly #children: Uint32Array
  readonly #types: Uint8Array
  /** The relationships of each device, one device after the other, and the offset of each device. */
  readonly #places: Uint32Array
  readonly #starts: Uint32Array
  /** The ports of each cable. Cables come after the relationships. */
  readonly #ports: readonly Ports[]
  readonly #through: readonly number[]
  readonly size: number

  constructor(
    relationships: readonly Pick<Relationship, 'parent_id' | 'child_id' | 'type'>[],
    cables: readonly CableRow[] = [],
  ) {
    const between = cables.filter(isBetween)
    const rows: readonly LinkRow[] = [...relationships, ...between.map(toLinkRow)]
    this.#ports = between.map(({ a, b }) => [a.port, b.port])
    this.#through = between.map(({ through = [] }) => new Set(through).size)
    this.size = rows.length
    this.#parents = Uint32Array.from(rows, ({ parent_id }) => this.#numberOf(parent_id))
    this.#children = Uint32Array.from(rows, ({ child_id }) => this.#numberOf(child_id))
    this.#types = Uint8Array.from(rows, ({ type }) => LINK_TYPES.indexOf(type))
    const ends = [this.#parents, this.#children]
    const starts = new Uint32Array(this.#ids.length + 1)
    for (const end of ends) for (const number of end) starts[number + 1] = (starts[number + 1] ?? 0) + 1
    for (let number = 0; number < this.#ids.length; number++)
      starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0)
    this.#starts = starts
    const free = starts.slice()
    this.#places = new Uint32Array(rows.length * 2)
    for (let row = 0; row < rows.length; row++)
      for (const end of ends) {
        const number = end[row] ?? 0
        const place = free[number] ?? 0
        this.#places[place] = row
        free[number] = place + 1
      }
  }

  #numberOf(id: string): number {
    const known = this.#numbers.get(id)
    if (known !== undefined) return known
    this.#numbers.set(id, this.#ids.length)
    return this.#ids.push(id) - 1
  }

  /** Returns the devices with at least this many relationships and cables. */
  listBusy(least: number): readonly string[] {
    return this.#ids.filter((_, number) => (this.#starts[number + 1] ?? 0) - (this.#starts[number] ?? 0) >= least)
  }

  /** In the given order. */
  of(id: string): readonly Edge[] {
    const number = this.#numbers.get(id)
    if (number === undefined) return []
    const rows = this.#places.subarray(this.#starts[number], this.#starts[number + 1])
    return Array.from(rows, (row) => ({
      parent: this.#ids[this.#parents[row] ?? 0] ?? '',
      child: this.#ids[this.#children[row] ?? 0] ?? '',
      type: LINK_TYPES[this.#types[row] ?? 0] ?? 'connected_to',
      ports: this.#ports[row - (this.size - this.#ports.length)],
      through: this.#through[row - (this.size - this.#ports.length)],
    }))
  }
}

/** Returns the level of the other end, or undefined if the view does not follow the edge. */
const computeNextLevel = (view: View, level: number, isParent: boolean): number | undefined => {
  if (view !== 'impact') return level + 1
  // A parent depends on its child. Dependents are found only by going up, and dependencies only by going down.
  if (isParent) return level <= 0 ? level - 1 : undefined
  return level >= 0 ? level + 1 : undefined
}

/** Between two devices, more lines than these are drawn over each other. */
const MOST_BENDS = 8

/** Bends cables, so that no line covers another. Only the first one between two devices is straight. */
export const withBends = (links: readonly GraphLink[]): readonly GraphLink[] => {
  const buildKey = ({ from, to }: GraphLink) => (from < to ? `${from} ${to}` : `${to} ${from}`)
  const counts = new Map<string, number>()
  const count = (link: GraphLink): number => {
    const before = counts.get(buildKey(link)) ?? 0
    counts.set(buildKey(link), before + 1)
    return before
  }
  for (const link of links) if (link.type !== 'cable' && !counts.has(buildKey(link))) count(link)
  return links.map((link) => {
    if (link.type !== 'cable') return link
    const before = count(link) % MOST_BENDS
    // To one side and to the other, in turn.
    const bend = Math.ceil(before / 2) * (before % 2 === 1 ? 1 : -1)
    return bend === 0 ? link : { ...link, bend: link.from < link.to ? bend : -bend }
  })
}

/** Returns the surroundings of the focus, nearest first. */
export const buildGraph = (index: LinkIndex, query: GraphQuery): Graph => {
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
      const next = computeNextLevel(view, level, parent === id)
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
    for (const { parent, child, type, ports, through = 0 } of index.of(id)) {
      const to = places.get(child)
      // Both ends list each edge. It is taken at its parent.
      if (parent === id && to !== undefined && types.has(type))
        links.push({ from, to, type, ...(ports && { ports }), ...(through > 0 && { through }) })
    }
  return { ids, levels, links: withBends(links), left: left.size }
}

/** A device with cables to this many others is a switch, whatever its name is. */
const NEIGHBORS_OF_SWITCH = 8

const getOtherEnd = ({ parent, child }: Edge, id: string): string => (parent === id ? child : parent)

/** Returns the devices that many others are cabled to. */
const findHubs = (index: LinkIndex): readonly string[] =>
  index.listBusy(NEIGHBORS_OF_SWITCH).filter((id) => {
    const cables = index.of(id).filter(({ type }) => type === 'cable')
    return new Set(cables.map((edge) => getOtherEnd(edge, id))).size >= NEIGHBORS_OF_SWITCH
  })

/** Returns the switches that are connected to another one, the ones with the most links first. */
export const buildSwitchGraph = (index: LinkIndex, { ids: named, most }: SwitchQuery): Graph => {
  const switches = new Set([...named, ...findHubs(index)])
  const types = new Set(TYPES.connections)
  const listLinks = (id: string): readonly Edge[] =>
    index.of(id).filter((edge) => types.has(edge.type) && switches.has(getOtherEnd(edge, id)))
  const counts = new Map([...switches].map((id) => [id, listLinks(id).length] as const))
  const linked = [...switches]
    .filter((id) => counts.get(id) !== 0)
    .sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  const ids = linked.slice(0, most)
  const places = new Map(ids.map((id, place) => [id, place] as const))
  const links = ids.flatMap((id, from) =>
    listLinks(id).flatMap(({ parent, child, type, ports, through = 0 }): GraphLink[] => {
      const to = places.get(child)
      if (parent !== id || to === undefined) return []
      return [{ from, to, type, ...(ports && { ports }), ...(through > 0 && { through }) }]
    }),
  )
  return {
    ids,
    // All are as far from the middle, where nothing is.
    levels: ids.map(() => 1),
    links: withBends(links),
    left: linked.length - ids.length,
    alone: switches.size - linked.length,
  }
}

/** Returns the indexes of the neighbors of a node. */
export const listNeighbours = ({ links }: Pick<Graph, 'links'>, node: number): number[] => [
  ...new Set(links.flatMap(({ from, to }) => (from === node ? [to] : to === node ? [from] : []))),
]
