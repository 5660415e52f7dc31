/** Discovery of one network: its scans, its discovered devices, its schedule and its inbox. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { AppError } from '../../../src/contract/errors.ts'
import type { Network } from '../api/contracts.ts'
import { useIsInUse, usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Badge, Card, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { formatInterval } from './labels.ts'
import { Progress, ScanStatus, Until } from './marks.tsx'
import { isActive, rulesQuery, scansQuery } from './queries.ts'
import { RunningScans } from './scans/running-scans.tsx'
import { useCancelScan } from './scans/scan-actions.tsx'
import css from './scans.module.css'
import type { Scan } from './shapes.ts'

const TakerCard = lazy(() => import('../scanners/taker-card.tsx').then((module) => ({ default: module.TakerCard })))

const SHOWN = 8

const ScanLine = ({ scan }: { readonly scan: Scan }) => (
  <li className={css.scanLine}>
    <ScanStatus status={scan.status} />
    <Link to="/scans/$id" params={{ id: scan.id }} search={{}} className={css.strong}>
      {scan.scan_type} scan
    </Link>
    {scan.scanner_name !== '' && <span>by {scan.scanner_name}</span>}
    <span className="muted">
      <TimeAgo at={scan.started_at ?? scan.created_at} />
    </span>
    <span>{formatCount(scan.found_hosts)} found</span>
    {isActive(scan) && <Progress scan={scan} label="Progress" isSmall />}
    {scan.error_message !== '' && <span className="muted truncate">{scan.error_message}</span>}
  </li>
)

const Scans = ({ scans, onScan }: { readonly scans: readonly Scan[] | undefined; readonly onScan: () => void }) => {
  const { blocked } = usePermit()
  return (
    <Card
      title="Scans"
      actions={
        <Button onClick={onScan} blocked={blocked('discovery:create')}>
          New scan
        </Button>
      }
    >
      {!scans && <Skeleton />}
      {scans?.length === 0 && <p className="muted">It has not been scanned yet.</p>}
      <ul>
        {scans?.slice(0, SHOWN).map((scan) => (
          <ScanLine key={scan.id} scan={scan} />
        ))}
      </ul>
      {(scans?.length ?? 0) > SHOWN && (
        <p className="muted">And {plural((scans?.length ?? 0) - SHOWN, 'older one', 'older ones')}.</p>
      )}
    </Card>
  )
}

const ScheduleLine = ({ network }: { readonly network: Network }) => {
  const { may } = usePermit()
  const { data } = useQuery(rulesQuery)
  const rule = data?.find(({ network_id }) => network_id === network.id)
  if (!data) return <Skeleton />
  if (!rule)
    return (
      <p className="muted">
        No schedule: it is scanned only on request.{' '}
        {may('discovery:create') && (
          <Link to="/rules" search={{ new: '1', network: network.id }} className="link">
            New schedule
          </Link>
        )}
      </p>
    )
  return (
    <p className={css.scanLine}>
      <Badge tone={rule.enabled ? 'ok' : 'idle'}>{rule.enabled ? 'enabled' : 'disabled'}</Badge>
      <Link to="/rules" search={{ edit: rule.id }} className="link">
        {rule.scan_type} scan {formatInterval(rule.interval_hours)}
      </Link>
      {rule.next_run_at !== null && (
        <span className="muted">
          next <Until at={rule.next_run_at} />
        </span>
      )}
      {rule.enabled && rule.listen && <span className="muted">listens between scans</span>}
      {rule.skipped_reason !== '' && <span className="muted">does not run: {rule.skipped_reason}</span>}
    </p>
  )
}

/** Shows the hosts that the last completed scan saw. Earlier scans may have found more. */
const DiscoveredLine = ({
  network,
  scans,
}: {
  readonly network: Network
  readonly scans: readonly Scan[] | undefined
}) => {
  const last = scans?.find(({ status }) => status === 'completed')
  return (
    <p className={css.scanLine}>
      <Link to="/discovered-devices" search={{ network: network.id }} className="link">
        Discovered devices
      </Link>
      {last && <span>{formatCount(last.found_hosts)} seen by the last scan</span>}
    </p>
  )
}

type Props = { readonly network: Network; readonly onScan: () => void }

export const NetworkDiscovery = ({ network, onScan }: Props) => {
  const { may } = usePermit()
  const cancel = useCancelScan()
  const isAllowed = may('discovery:list')
  const isInUse = useIsInUse('scanners')
  const hasScanner = isInUse || network.scanner !== ''
  const { data, error, refetch } = useQuery({ ...scansQuery(network.id), enabled: isAllowed })
  const networks = useMemo(() => new Map([[network.id, network]]), [network])
  if (!isAllowed) return <Failure error={new AppError('FORBIDDEN', 'This needs the permission discovery:list')} />
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <RunningScans scans={data ?? []} networks={networks} onCancel={cancel.mutate} />
      <div className={css.twoCards}>
        <Scans scans={data} onScan={onScan} />
        <div className={css.cards}>
          <Card title="Inbox">
            <p className={css.scanLine}>
              <Link to="/inbox" search={{ network: network.id }} className="link">
                Differences from the documentation
              </Link>
            </p>
          </Card>
          <Card title="Schedule">
            <ScheduleLine network={network} />
          </Card>
          {hasScanner && (
            <Suspense fallback={<Skeleton />}>
              <TakerCard network={network} />
            </Suspense>
          )}
          <Card title="Discovered devices">
            <DiscoveredLine network={network} scans={data} />
          </Card>
        </div>
      </div>
    </>
  )
}
