/** The states of zones and RRsets as badges with their messages. */
import { Badge } from '../ui/primitives.tsx'
import css from './dns.module.css'
import { formatState, STATE_TONES, ZONE_MARKS } from './labels.ts'
import type { RrsetState, Zone } from './queries.ts'

export const ZoneStatus = ({ zone: { status, status_message } }: { readonly zone: Zone }) => {
  const [tone, text] = ZONE_MARKS[status]
  return (
    <span className={css.marked}>
      <Badge tone={tone}>{text}</Badge>
      {status_message !== '' && (
        <span className="muted truncate" title={status_message}>
          {status_message}
        </span>
      )}
    </span>
  )
}

export const RrsetMark = (rrset: { readonly state: RrsetState; readonly message: string }) => {
  const text = formatState(rrset)
  return (
    <span className={css.marked}>
      <Badge tone={STATE_TONES[rrset.state]}>{rrset.state}</Badge>
      {text !== '' && (
        <span className="muted truncate" title={text}>
          {text}
        </span>
      )}
    </span>
  )
}
