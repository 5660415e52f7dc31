/** Consecutive changes of one user with one operation are one row, which opens. Pure functions. */
import type { Change } from '../../api/contracts.ts'

const SPAN_MS = 60_000
/** More changes are several rows, so that each page of the list adds a row. */
const MOST = 100

/** A change, or several that are folded to one row. */
export type HistoryRow = {
  readonly id: string
  /** The newest first. */
  readonly changes: readonly [Change, ...Change[]]
  readonly level: number
  /** Undefined for a single change. */
  readonly isExpanded: boolean | undefined
}

const belongsTo = ([newest, ...others]: HistoryRow['changes'], change: Change): boolean =>
  others.length < MOST - 1 &&
  change.user_id === newest.user_id &&
  change.username === newest.username &&
  change.operation === newest.operation &&
  Date.parse(newest.at) - Date.parse(change.at) <= SPAN_MS

/** Groups consecutive changes of one user with one operation within a minute. @param changes the newest first */
export const foldChanges = (changes: readonly Change[]): readonly HistoryRow['changes'][] => {
  const folds: [Change, ...Change[]][] = []
  for (const change of changes) {
    const last = folds.at(-1)
    if (last && belongsTo(last, change)) last.push(change)
    else folds.push([change])
  }
  return folds
}

const toRow = (change: Change, level: number): HistoryRow => ({
  id: change.id,
  changes: [change],
  level,
  isExpanded: undefined,
})

/** Returns the rows of the table. @param opened ids of changes in opened rows: a newer change joins a row without closing it */
export const listRows = (changes: readonly Change[], opened: ReadonlySet<string>): readonly HistoryRow[] =>
  foldChanges(changes).flatMap((fold) => {
    if (fold.length === 1) return [toRow(fold[0], 1)]
    const isExpanded = fold.some(({ id }) => opened.has(id))
    const head: HistoryRow = { id: `fold ${fold[0].id}`, changes: fold, level: 1, isExpanded }
    return isExpanded ? [head, ...fold.map((change) => toRow(change, 2))] : [head]
  })
