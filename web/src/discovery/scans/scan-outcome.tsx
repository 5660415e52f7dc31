/** The head of a finished scan: its addresses and devices, and the link to the inbox of its network. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { inboxCountsQuery } from '../../api/queries.ts'
import { usePermit } from '../../shell/me.ts'
import buttonCss from '../../ui/button.module.css'
import { cx } from '../../ui/cx.ts'
import { discoveredDevicesQuery, isActive, MOST_HOSTS } from '../queries.ts'
import type { Scan } from '../shapes.ts'
import { countSeenAgain, findReview, formatOutcome, listLastSeen } from './outcome.ts'

/** Shows the number of devices if it is known: all are loaded, and no later scan has seen them. */
export const ScanOutcome = ({ scan }: { readonly scan: Scan }) => {
  const { may } = usePermit()
  const isOver = !isActive(scan)
  const { data } = useQuery({
    ...discoveredDevicesQuery({ network_id: scan.network_id, limit: MOST_HOSTS }),
    enabled: isOver && may('discovery:list'),
  })
  if (!isOver || scan.found_hosts === 0) return null
  const isKnown = data !== undefined && data.total === data.rows.length && countSeenAgain(scan, data.rows) === 0
  const devices = isKnown ? listLastSeen(scan, data.rows).length : undefined
  return <b>{formatOutcome(scan.found_hosts, devices)}</b>
}

export const ReviewLink = ({ scan }: { readonly scan: Scan }) => {
  const { may } = usePermit()
  const isOver = !isActive(scan)
  const { data } = useQuery({ ...inboxCountsQuery(scan.network_id), enabled: isOver && may('discovery:list') })
  const review = isOver && data ? findReview(data) : undefined
  if (!review) return null
  const { bucket, text } = review
  return (
    <Link
      to="/inbox"
      search={{ network: scan.network_id, ...(bucket === 'new' ? {} : { tab: bucket }) }}
      className={cx(buttonCss.button, buttonCss.primary)}
    >
      {text}
    </Link>
  )
}
