/** The state of the page. All of it is in the URL. */
import { EVEN_MORE_NODES, MOST_HOPS, MOST_NODES, VIEWS, type View } from './graph.ts'

export const parseView = (text: string | undefined): View => VIEWS.find((view) => view === text) ?? 'all'

/** Returns the maximum number of devices shown. */
export const parseMost = (text: string | undefined): number =>
  text === String(EVEN_MORE_NODES) ? EVEN_MORE_NODES : MOST_NODES

/** Returns the maximum of the view if the number is missing or invalid. */
export const parseHops = (text: string | undefined, view: View): number => {
  const most = MOST_HOPS[view]
  const hops = Number(text)
  return Number.isInteger(hops) && hops >= 1 ? Math.min(hops, most) : most
}

/** Reads `?impact=id,id`. */
export const parseImpact = (text: string | undefined): readonly string[] => [
  ...new Set((text ?? '').split(',').filter((id) => id !== '')),
]

/** Adds a device, or takes it away. @returns the parameter; undefined without a device */
export const toggleImpact = (ids: readonly string[], id: string): string | undefined => {
  const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]
  return next.length === 0 ? undefined : next.join(',')
}
