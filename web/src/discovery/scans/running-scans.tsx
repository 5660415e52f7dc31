/** The running and waiting scans, above the list of all. */
import { Link } from '@tanstack/react-router'
import { usePermit } from '../../shell/me.ts'
import { SpaceBadge } from '../../spaces/known-spaces.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { formatDuration, formatOfTotal, formatTimeLeft, formatWait, STAGES } from '../labels.ts'
import { Progress, ScanStatus, useNow } from '../marks.tsx'
import { isActive } from '../queries.ts'
import css from '../scans.module.css'
import type { Scan } from '../shapes.ts'
import { getNetworkName, type Networks } from './scan-columns.tsx'

/** Further scans are only in the list. */
const SHOWN = 3

const getStageText = ({ stage }: Scan): string => STAGES.find(([one]) => one === stage)?.[1] ?? ''

type CardProps = { readonly scan: Scan; readonly networks: Networks; readonly onCancel: (id: string) => void }

const RunningScan = ({ scan, networks, onCancel }: CardProps) => {
  const { blocked } = usePermit()
  const nowMs = useNow(true)
  const { id, network_id, status, scan_type, progress_percent, scanned_hosts, total_hosts, found_hosts, scanner_name } =
    scan
  const name = getNetworkName(networks, network_id)
  const facts =
    status === 'pending'
      ? [formatWait(networks.get(network_id)?.scanner)]
      : [
          getStageText(scan),
          `${formatOfTotal(scanned_hosts, total_hosts)} addresses`,
          `${formatCount(found_hosts)} found`,
          formatTimeLeft(scan, nowMs),
        ]
  return (
    <li className={css.running}>
      <div className={css.runningHead}>
        <ScanStatus status={status} />
        <Link to="/scans/$id" params={{ id }} className={css.strong}>
          {name}
        </Link>
        <span className="mono muted">
          {networks.get(network_id)?.subnet}
          <SpaceBadge space_id={networks.get(network_id)?.space_id} />
        </span>
        <span className="muted">
          {scan_type} scan{scanner_name !== '' && ` by ${scanner_name}`}
          {status === 'running' && ` · ${formatDuration(scan, nowMs)}`}
        </span>
        <Button
          look="danger"
          aria-label={`Cancel scan of ${name}`}
          onClick={() => onCancel(id)}
          blocked={blocked('discovery:create')}
        >
          Cancel scan
        </Button>
      </div>
      <Progress scan={scan} label={`Progress of the scan of ${name}`} />
      <p className={css.runningFacts}>
        {status === 'running' && <b>{Math.floor(progress_percent)}%</b>}
        {facts
          .filter((text) => text !== '')
          .map((text) => (
            <span key={text}>{text}</span>
          ))}
      </p>
    </li>
  )
}

type Props = {
  readonly scans: readonly Scan[]
  readonly networks: Networks
  readonly onCancel: (id: string) => void
}

export const RunningScans = ({ scans, networks, onCancel }: Props) => {
  // Running scans first, then waiting ones, each by age.
  const active = scans
    .filter(isActive)
    .sort((a, b) => b.status.localeCompare(a.status) || a.created_at.localeCompare(b.created_at))
  if (active.length === 0) return null
  return (
    <section className={css.runningList} aria-label="Running now">
      <ul>
        {active.slice(0, SHOWN).map((scan) => (
          <RunningScan key={scan.id} scan={scan} networks={networks} onCancel={onCancel} />
        ))}
      </ul>
      {active.length > SHOWN && (
        <p className="muted">And {plural(active.length - SHOWN, 'other')}, in the list below.</p>
      )}
    </section>
  )
}
