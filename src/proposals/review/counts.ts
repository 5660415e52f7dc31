/** The numbers of effects by change and kind. */
import type { Counted, Counts, Verb } from '../../contract/change-summary.ts'
import type { ListedRow } from '../store.ts'

export const listCounted = (counts: Counts): readonly Required<Counted>[] =>
  // The keys of the counts.
  Object.entries(counts).flatMap(([change, kinds]) =>
    Object.entries(kinds ?? {}).map(([kind, n]) => ({ kind, change: change as Verb, n })),
  )

/** A stored run has written it. */
export const parseCounts = ({ counts }: Pick<ListedRow, 'counts'>): Counts => JSON.parse(counts) as Counts

export const sumCounts = (counts: Counts): number => listCounted(counts).reduce((sum, { n }) => sum + n, 0)
