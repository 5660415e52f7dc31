/** The state of the page, which is all in its URL. */
import { EVEN_MORE_NODES, MOST_HOPS, MOST_NODES, VIEWS, type View } from './graph.ts'

export const viewOf = (text: string | undefined): View => VIEWS.find((view) => view === text) ?? 'all'

/** How many devices there is room for. */
export const mostOf = (text: string | undefined): number =>
  text === String(EVEN_MORE_NODES) ? EVEN_MORE_NODES : MOST_NODES

/** As far as the view goes, without a number that makes sense. */
export const hopsOf = (text: string | undefined, view: View): number => {
  const most = MOST_HOPS[view]
  const hops = Number(text)
  return Number.isInteger(hops) && hops >= 1 ? Math.min(hops, most) : most
}
