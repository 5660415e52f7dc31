/** Cables that meet in one port, at its front and its rear, as one cable between the devices at the ends. Pure. */
import type { Cable } from '../cables/fields.ts'

type CableRow = Pick<Cable, 'a' | 'b'>
type End = Cable['a']

/** `through` has the ids of the devices in between, in the order from `a` to `b`. */
export type JoinedCable = CableRow & { readonly through: readonly string[] }

/** Returns each chain of cables once. A ring of cables without an end stays as it is. */
export const joinCables = (cables: readonly CableRow[]): readonly JoinedCable[] => {
  const byPort = new Map<string, CableRow[]>()
  for (const cable of cables)
    for (const { port_id } of [cable.a, cable.b]) {
      const known = byPort.get(port_id)
      if (known) known.push(cable)
      else byPort.set(port_id, [cable])
    }
  const findNext = (cable: CableRow, { port_id }: End): CableRow | undefined =>
    byPort.get(port_id)?.find((one) => one !== cable)
  const getOther = ({ a, b }: CableRow, { port_id }: End): End => (a.port_id === port_id ? b : a)
  const done = new Set<CableRow>()
  const follow = (first: CableRow, start: End): JoinedCable => {
    const through: string[] = []
    let [cable, end] = [first, getOther(first, start)]
    done.add(cable)
    for (let next = findNext(cable, end); next && !done.has(next); next = findNext(cable, end)) {
      through.push(end.device_id)
      done.add(next)
      ;[cable, end] = [next, getOther(next, end)]
    }
    return { a: start, b: end, through }
  }
  const joined: JoinedCable[] = []
  for (const cable of cables) {
    const start = done.has(cable) ? undefined : [cable.a, cable.b].find((end) => !findNext(cable, end))
    if (start) joined.push(follow(cable, start))
  }
  for (const cable of cables) if (!done.has(cable)) joined.push({ ...cable, through: [] })
  return joined
}
