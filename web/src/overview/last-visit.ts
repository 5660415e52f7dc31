/** When the user was last here before this visit, as this browser remembers it. */
import { createRemembered } from '../api/remembered.ts'

/** A visit goes on until the overview has not been open for so long. */
const PAUSE_MS = 3_600_000
/** Without an earlier visit: long enough for a night. */
const FIRST_MS = 24 * 3_600_000

type Visits = { readonly latest: number; readonly before: number }

const toMs = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

const parseVisits = (stored: unknown): Visits => {
  const { latest, before } = Object(stored) as Readonly<Record<string, unknown>>
  return { latest: toMs(latest), before: toMs(before) }
}

/** Returns the visits with one at a moment: it continues the latest one, or begins another. */
export const addVisit = ({ latest, before }: Visits, nowMs: number): Visits => {
  if (latest === 0 || latest > nowMs) return { latest: nowMs, before: nowMs - FIRST_MS }
  return { latest: nowMs, before: nowMs - latest > PAUSE_MS ? latest : before }
}

const remembered = createRemembered('plat.visits', parseVisits)

/** Notes that the user is here. Returns the end of the visit before this one. */
export const noteVisit = (): string => {
  const visits = addVisit(remembered.get(), Date.now())
  remembered.set(visits)
  return new Date(visits.before).toISOString()
}
