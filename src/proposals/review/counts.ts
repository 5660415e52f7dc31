/** The numbers of effects by change and kind. */
import type { Counts, Verb } from '../../contract/change-summary.ts'
import type { ListedRow } from '../store.ts'

export type Counted = { readonly kind: string; readonly change: Verb; readonly n?: number }

/** Counts effects by change and kind. */
export const countEffects = (effects: readonly Counted[]): Counts => {
  const counts: Counts = {}
  for (const { kind, change, n = 1 } of effects) {
    const own = counts[change] ?? {}
    counts[change] = own
    own[kind] = (own[kind] ?? 0) + n
  }
  return counts
}

export const listCounted = (counts: Counts): readonly Required<Counted>[] =>
  // The keys of the counts.
  Object.entries(counts).flatMap(([change, kinds]) =>
    Object.entries(kinds ?? {}).map(([kind, n]) => ({ kind, change: change as Verb, n })),
  )

/** A stored run has written it. */
export const parseCounts = ({ counts }: Pick<ListedRow, 'counts'>): Counts => JSON.parse(counts) as Counts

export const sumCounts = (counts: Counts): number => listCounted(counts).reduce((sum, { n }) => sum + n, 0)
