/** The state of the page, which is all in its URL. */
import { MOST_HOPS, VIEWS, type View } from './graph.ts'

export const viewOf = (text: string | undefined): View => VIEWS.find((view) => view === text) ?? 'all'

/** As far as the view goes, without a number that makes sense. */
export const hopsOf = (text: string | undefined, view: View): number => {
  const most = MOST_HOPS[view]
  const hops = Number(text)
  return Number.isInteger(hops) && hops >= 1 ? Math.min(hops, most) : most
}
