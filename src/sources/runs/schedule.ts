/** When a source is read by itself. */
import { isFetched } from '../checks.ts'
import type { SourceKind } from '../kinds/source-kind.ts'
import type { Source } from '../schema.ts'

const MINUTE_MS = 60_000
/** Sources of one interval would otherwise all come due together, for ever. */
const JITTER = 0.05
const MAX_JITTER_MS = 600_000
/** Minutes until a failed run is repeated, by the number of failures before. */
const RETRY_MINUTES = [1, 5, 15, 60] as const
const MAX_RETRY_AFTER_MS = 60 * MINUTE_MS

type Scheduled = Pick<Source, 'enabled' | 'interval_minutes' | 'url'>

const isScheduled = (kind: SourceKind, source: Scheduled): boolean =>
  source.enabled && source.interval_minutes > 0 && isFetched(kind, source)

/** Returns when a source is due that was just created or changed: at once, unless its last run is not long enough ago. */
export const computeDueMs = (kind: SourceKind, source: Scheduled, nowMs: number, lastMs?: number): number | null => {
  if (!isScheduled(kind, source)) return null
  return lastMs === undefined ? nowMs : Math.max(nowMs, lastMs + source.interval_minutes * MINUTE_MS)
}

export type Ended = {
  readonly nowMs: number
  /** The failures in a row; 0 after a success. */
  readonly failures: number
  /** The pause that the system has asked for. */
  readonly retryAfterSeconds?: number | undefined
}

/** Returns when a source is due after a run. */
export const computeNextMs = (
  kind: SourceKind,
  source: Scheduled,
  { nowMs, failures, retryAfterSeconds = 0 }: Ended,
): number | null => {
  if (!isScheduled(kind, source)) return null
  const intervalMs = source.interval_minutes * MINUTE_MS
  const usualMs = Math.round(intervalMs + Math.random() * Math.min(intervalMs * JITTER, MAX_JITTER_MS))
  if (failures === 0) return nowMs + usualMs
  const minutes = RETRY_MINUTES[Math.min(failures, RETRY_MINUTES.length) - 1] ?? 0
  const askedMs = Math.min(retryAfterSeconds * 1000, MAX_RETRY_AFTER_MS)
  return nowMs + Math.max(Math.min(minutes * MINUTE_MS, intervalMs), askedMs)
}
