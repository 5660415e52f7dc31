/** The picture of an impact: the devices that go away, the affected ones, and their neighbors. Independent of drawing and requests. */
import { type Graph, type GraphLink, type LinkIndex, withBends } from '../graph.ts'

export type AffectedQuery = {
  readonly view: 'affected'
  /** The devices that go away, then the affected ones, the nearest first. */
  readonly ids: readonly string[]
  /** The maximum number of devices. */
  readonly most: number
}

export const buildAffectedGraph = (index: LinkIndex, { ids: wanted, most }: AffectedQuery): Graph => {
  const ids = wanted.slice(0, most)
  const places = new Map(ids.map((id, place) => [id, place] as const))
  const left = new Set(wanted.slice(most))
  for (const id of wanted.slice(0, most))
    for (const { parent, child } of index.of(id))
      for (const other of [parent, child]) {
        if (places.has(other)) continue
        if (ids.length >= most) {
          left.add(other)
          continue
        }
        places.set(other, ids.length)
        ids.push(other)
      }
  const links = ids.flatMap((id, from) =>
    index.of(id).flatMap(({ parent, child, type, ports, through = 0 }): GraphLink[] => {
      const to = places.get(child)
      // Both ends list each edge. It is taken at its parent.
      if (parent !== id || to === undefined) return []
      return [{ from, to, type, ...(ports && { ports }), ...(through > 0 && { through }) }]
    }),
  )
  // All are as far from the middle, where nothing is.
  return { ids, levels: ids.map(() => 1), links: withBends(links), left: left.size }
}
