/** When a device was there in the last 30 days: a strip of 90 segments, and the same in words. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { usePermit } from '../../shell/me.ts'
import { cx } from '../../ui/cx.ts'
import { formatMoment } from '../../ui/format.ts'
import { Skeleton } from '../../ui/primitives.tsx'
import css from './presence.module.css'
import { buildSegments, DAYS, describePresence, type Segment } from './strip.ts'

const DAY_MS = 86_400_000

const load = async (of: Of) => {
  const nowMs = Date.now()
  const range = { from: new Date(nowMs - DAYS * DAY_MS).toISOString() }
  const answer =
    'device' in of
      ? await api.presence.ofDevice({ id: of.device, ...range })
      : await api.presence.ofDiscovered({ id: of.discovered, ...range })
  // The clock of this browser at the answer: an open interval ends there.
  return { ...answer, nowMs }
}

const WORDS = { up: 'there', part: 'there for a part', down: 'not there' } as const

const formatSegment = ({ begin, end, tone }: Segment): string =>
  `${formatMoment(new Date(begin).toISOString())} to ${formatMoment(new Date(end).toISOString()).slice(11)}: ${WORDS[tone]}`

type Of = { readonly device: string } | { readonly discovered: string }

export const PresenceStrip = ({ of }: { readonly of: Of }) => {
  const { may } = usePermit()
  const { data } = useQuery({
    queryKey: ['discovered-devices', 'presence', of],
    queryFn: () => load(of),
    enabled: may('discovery:list') && ('discovered' in of || may('devices:read')),
  })
  if (!data) return <Skeleton />
  const words = describePresence(data.intervals, data.share_up, data.nowMs)
  return (
    <figure className={css.presence}>
      <svg className={css.strip} viewBox="0 0 90 1" preserveAspectRatio="none" role="img" aria-label={words}>
        {buildSegments(data.intervals, data.nowMs).map((segment, i) => (
          <rect key={segment.begin} className={cx(css[segment.tone])} x={i + 0.1} y={0} width={0.8} height={1}>
            <title>{formatSegment(segment)}</title>
          </rect>
        ))}
      </svg>
      <figcaption className="muted">{words}</figcaption>
    </figure>
  )
}
