/** A graph in words: the line for the current node, and the cells of the table. */
import { formatCount, plural } from '../ui/format.ts'
import type { Graph, LinkType, Picture, Ports, View } from './graph.ts'
import type { Role } from './role.ts'

export const VIEW_TEXTS: Readonly<Record<View, readonly [name: string, question: string]>> = {
  all: ['All', 'All relationships'],
  connections: ['Connections', 'Connections to other devices'],
  containment: ['Containment', 'Its container, and its contents'],
  impact: ['Impact', 'The devices that fail without it'],
}

export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  network: 'network device',
  storage: 'storage or database',
  host: 'host or rack',
  server: 'server',
}

const WORDS: Readonly<Record<LinkType, readonly [asParent: string, asChild: string]>> = {
  connected_to: ['connected to', 'connected to'],
  contains: ['contains', 'contained by'],
  depends_on: ['depends on', 'needed by'],
  cable: ['cabled to', 'cabled to'],
}

export type Tie = {
  readonly node: number
  readonly type: LinkType
  readonly isParent: boolean
  readonly text: string
  /** Set for a cable: the port here and the port there, and the number of panels in between. */
  readonly ports?: string
}

/** @param isParent true at the first of both ends */
const formatPorts = ([from, to]: Ports, isParent: boolean): string => (isParent ? `${from} – ${to}` : `${to} – ${from}`)

/** Returns the relationships and cables of a node with its neighbors. */
export const listTies = ({ links }: Pick<Graph, 'links'>, node: number): Tie[] =>
  links.flatMap(({ from, to, type, ports, through }) => {
    if (from !== node && to !== node) return []
    const isParent = from === node
    const tie = { node: isParent ? to : from, type, isParent, text: WORDS[type][isParent ? 0 : 1] }
    const by = through === undefined ? '' : `, through ${plural(through, 'panel')}`
    return [{ ...tie, ...(ports && { ports: formatPorts(ports, isParent) + by }) }]
  })

export const formatLevel = (view: Picture, level: number): string => {
  if (view === 'switches' || view === 'affected') return ''
  if (level === 0) return 'in the middle'
  const hops = plural(Math.abs(level), 'hop')
  return view === 'impact' ? `${level > 0 ? 'fails with it' : 'is needed'}, ${hops}` : `${hops} away`
}

/** Returns the summary of the whole graph. */
export const formatSummary = (graph: Graph, view: Picture, name: string): string => {
  const { ids, levels, links, left, alone = 0 } = graph
  const more = left > 0 ? `, and ${plural(left, 'device')} more that are not shown` : ''
  if (view === 'switches') {
    const others =
      alone > 0 ? `; ${formatCount(alone)} without a link to another ${alone === 1 ? 'is' : 'are'} not shown` : ''
    return `${plural(ids.length, 'switch', 'switches')} and ${plural(links.length, 'link')} between them${more}${others}`
  }
  if (ids.length === 1)
    return view === 'impact' ? `Nothing depends on ${name}, and it depends on nothing` : `${name} stands alone`
  if (view !== 'impact') {
    const cables = links.filter(({ type }) => type === 'cable').length
    const cabled = cables > 0 ? `, ${plural(cables, 'cable')}` : ''
    return `${plural(ids.length, 'device')}, ${plural(links.length - cables, 'relationship')}${cabled}${more}`
  }
  const failing = levels.filter((level) => level > 0).length
  const needed = levels.filter((level) => level < 0).length
  const breaks = failing === 0 ? 'nothing depends on it' : `${plural(failing, 'device')} can’t work without it`
  return `If ${name} goes, ${breaks}; it needs ${plural(needed, 'device')}${more}`
}
