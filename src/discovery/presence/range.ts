/** The range of an answer about presence, and how much of it is covered by intervals. Pure. */
import { invalidField } from '../../contract/errors.ts'
import { MAX_INTERVALS } from './api.ts'
import type { Range } from './store.ts'
import { OPEN, type PresenceRow } from './table.ts'

const DEFAULT_MS = 30 * 86_400_000

type Asked = { readonly from?: string | undefined; readonly to?: string | undefined }

/** @throws AppError VALIDATION_ERROR for a range that ends before it begins */
export const parseRange = ({ from, to }: Asked, now: string): Range => {
  const end = to === undefined || to > now ? now : to
  const begin = from ?? new Date(Math.max(0, Date.parse(end) - DEFAULT_MS)).toISOString()
  if (begin > end) throw invalidField('from', `must not be after ${to === undefined || to > now ? 'now' : '`to`'}`)
  return { from: begin, to: end }
}

/** The number of rows that tells whether there are more than the answer shows. */
export const MAX_ROWS = MAX_INTERVALS + 1

/** Cuts rows, latest end first, to the most of an answer. Returns the range of which they are all rows. */
export const limitRange = <Row extends Pick<PresenceRow, 'ended_at'>>(
  rows: readonly Row[],
  { from, to }: Range,
): { readonly rows: readonly Row[]; readonly range: Range; readonly complete_since: string | null } => {
  const next = rows[MAX_INTERVALS]
  if (!next) return { rows, range: { from, to }, complete_since: null }
  const since = next.ended_at < to ? next.ended_at : to
  return { rows: rows.slice(0, MAX_INTERVALS), range: { from: since, to }, complete_since: since }
}

/** Returns the end as it is sent. */
export const toEnd = ({ ended_at }: Pick<PresenceRow, 'ended_at'>): string | null =>
  ended_at === OPEN ? null : ended_at

/** Returns the milliseconds of the range that at least one interval covers. */
export const computeCovered = (rows: readonly Pick<PresenceRow, 'began_at' | 'ended_at'>[], range: Range): number => {
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)]
  const sorted = rows
    .map(
      ({ began_at, ended_at }) => [Math.max(from, Date.parse(began_at)), Math.min(to, Date.parse(ended_at))] as const,
    )
    .sort(([a], [b]) => a - b)
  let [covered, until] = [0, from]
  for (const [begin, end] of sorted) {
    covered += Math.max(0, end - Math.max(begin, until))
    until = Math.max(until, end)
  }
  return covered
}
