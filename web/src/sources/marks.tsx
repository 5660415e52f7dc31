/** Marks of sources: the state, and the numbers of objects that are not in sync. */
import { plural } from '../ui/format.ts'
import { Badge, TimeAgo } from '../ui/primitives.tsx'
import { describeOutcome, STATUS_TEXTS, STATUS_TONES } from './labels.ts'
import type { Source, SourceRun } from './queries.ts'

type Shown = Pick<Source, 'status' | 'status_message' | 'is_running' | 'enabled'>

export const SourceStatus = ({ status, status_message, is_running, enabled }: Shown) => {
  if (is_running) return <Badge tone="info">reading …</Badge>
  if (!enabled) return <Badge tone="idle">off</Badge>
  return (
    <span title={status_message === '' ? undefined : status_message}>
      <Badge tone={STATUS_TONES[status]}>{STATUS_TEXTS[status]}</Badge>
    </span>
  )
}

const SOON_MS = 60_000

/** A run that is due begins within seconds. */
export const NextRun = ({ at }: { readonly at: string }) =>
  Date.parse(at) - Date.now() < SOON_MS ? 'soon' : <TimeAgo at={at} />

export const RunOutcome = ({ run }: { readonly run: SourceRun }) => {
  const [text, tone] = describeOutcome(run)
  return <Badge tone={tone}>{text}</Badge>
}

/** @example formatOpen(counts) // '120 objects, 3 changed, 1 unclear' */
export const formatOpen = ({ objects, ...open }: Source['counts']): string =>
  [plural(objects, 'object'), ...Object.entries(open).flatMap(([state, n]) => (n > 0 ? [`${n} ${state}`] : []))].join(
    ', ',
  )
