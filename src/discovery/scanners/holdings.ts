/** Compares the scans that a scanner names with the stored ones. */
import type { Holding } from '../../scanner/wire.ts'
import type { ScanStatus } from '../schema.ts'

/** A running scan of a scanner, or one that it names. */
export type KnownScan = {
  readonly id: string
  readonly network_id: string
  readonly status: ScanStatus
  readonly scanner_id: string | null
  readonly is_done: number
  readonly lease: string
  /** The label of its network. */
  readonly scanner: string
}

export type Holder = {
  readonly id: string
  /** Its name and its tags. */
  readonly labels: ReadonlySet<string>
  readonly holding: readonly Holding[]
}

export type Review = {
  /** Ids of scans that were cancelled. */
  readonly cancel: readonly string[]
  /** Ids of scans that are not its own any more. */
  readonly drop: readonly string[]
  /** Scans that were taken from it in its silence, and by nobody else since. */
  readonly returning: readonly KnownScan[]
  /** Scans that it was given and does not name. One that it names under another lease is dropped first. */
  readonly lost: readonly KnownScan[]
}

type Fate = 'kept' | 'cancel' | 'drop' | 'returning'

const decide = ({ id, labels }: Holder, { lease }: Holding, scan: KnownScan | undefined): Fate => {
  if (scan?.lease !== lease) return 'drop'
  if (scan.status === 'pending') return labels.has(scan.scanner) ? 'returning' : 'drop'
  if (scan.scanner_id !== id) return 'drop'
  if (scan.status === 'cancelled') return 'cancel'
  return scan.status === 'running' && scan.is_done === 0 ? 'kept' : 'drop'
}

/** @param scans the running scans of the scanner, the scans that it names, and perhaps others */
export const reviewHoldings = (holder: Holder, scans: ReadonlyMap<string, KnownScan>): Review => {
  const fates = new Map(
    holder.holding.map((one) => [one.scan_id, decide(holder, one, scans.get(one.scan_id))] as const),
  )
  const listIds = (wanted: Fate): string[] => [...fates].flatMap(([id, fate]) => (fate === wanted ? [id] : []))
  return {
    cancel: listIds('cancel'),
    drop: listIds('drop'),
    returning: listIds('returning').flatMap((id) => scans.get(id) ?? []),
    lost: [...scans.values()].filter(
      ({ id, status, scanner_id, is_done }) =>
        scanner_id === holder.id && status === 'running' && is_done === 0 && !fates.has(id),
    ),
  }
}
