/** The page of one scan: its progress, its hosts, the differences from the scan before, and its log. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { contracts } from '../../api/contracts.ts'
import { MissingObject, ObjectPage } from '../../resource/object/object-page.tsx'
import { announced } from '../../shell/announcer.tsx'
import { usePermit } from '../../shell/me.ts'
import { SpaceBadge } from '../../spaces/known-spaces.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import { Alert } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { MenuItem } from '../../ui/menu.tsx'
import { TimeAgo } from '../../ui/primitives.tsx'
import { EvidenceDrawer } from '../inbox/evidence-drawer.tsx'
import { ScanStatus, scanStatusText } from '../marks.tsx'
import { useNetworks } from '../networks.ts'
import { isActive, scanQuery } from '../queries.ts'
import css from '../scans.module.css'
import type { ScanDetail } from '../shapes.ts'
import { DeleteScan, useCancelScan, useDiscoveryChanged } from './scan-actions.tsx'
import { ScanDifferences } from './scan-diff.tsx'
import { ScanHosts } from './scan-hosts.tsx'
import { ScanLog } from './scan-log.tsx'
import { ReviewLink, ScanOutcome } from './scan-outcome.tsx'
import { ScanProgress } from './stage-steps.tsx'
import { StartScan } from './start-scan.tsx'

const route = getRouteApi('/app/scans/$id')
const PARENT = { text: 'Scans', link: { to: '/scans' } } as const

/** Announces the end of a scan to screen readers, and invalidates the queries of its results. */
const useEnding = (scan: ScanDetail | undefined): void => {
  const changed = useDiscoveryChanged()
  const before = useRef(scan?.status)
  useEffect(() => {
    const wasActive = before.current === 'running' || before.current === 'pending'
    before.current = scan?.status
    if (!scan || !wasActive || isActive(scan)) return
    announced.set(`The scan is ${scan.status}, ${plural(scan.found_hosts, 'host')} found`)
    changed()
  })
}

/** The scanner may be deleted, or renamed since. */
const Taker = ({ scan: { scanner_id, scanner_name } }: { readonly scan: ScanDetail }) => {
  const { may } = usePermit()
  return scanner_id !== null && may('scanners:read') ? (
    <Link to="/scanners/$id" params={{ id: scanner_id }} className="link">
      {scanner_name}
    </Link>
  ) : (
    scanner_name
  )
}

const Facts = ({ scan }: { readonly scan: ScanDetail }) => (
  <p className={css.scanFacts}>
    <ScanStatus status={scan.status} />
    <ScanOutcome scan={scan} />
    <span>
      {scan.scan_type} scan
      {scan.scanner_name !== '' && (
        <>
          {' by '}
          <Taker scan={scan} />
        </>
      )}
    </span>
    <span className="muted">
      {scan.scanner_name !== '' && 'asked for '}
      {scan.rule_id === null ? `by ${scan.created_by || 'unknown'}` : 'by the schedule of the network'},{' '}
      {scan.started_at === null ? 'queued ' : 'started '}
      <TimeAgo at={scan.started_at ?? scan.created_at} />
    </span>
    {scan.exclude_ips !== '' && (
      <span className="muted">
        without <span className="mono">{scan.exclude_ips}</span>
      </span>
    )}
  </p>
)

export const ScanPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { data: scan, error, refetch } = useQuery(scanQuery(id))
  const networks = useNetworks()
  const cancel = useCancelScan()
  useEnding(scan)
  if (!scan) return <MissingObject noun="scan" parent={PARENT} error={error} refetch={refetch} />
  const network = networks.find((one) => one.id === scan.network_id)
  const name = network?.name ?? scan.network_id
  return (
    <ObjectPage
      noun="scan"
      parent={PARENT}
      id={id}
      title={`Scan of ${name}`}
      get={contracts.scans.get}
      remove={{
        blocked: may('discovery:delete') ? undefined : 'discovery:delete',
        dialog: (close, leave) => <DeleteScan scan={scan} network={name} onClose={close} onDone={leave} />,
      }}
      beside={
        network && (
          <Link to="/networks/$id" params={{ id: network.id }} className="link">
            <span className="mono">{network.subnet}</span>
            <SpaceBadge space_id={network.space_id} />
          </Link>
        )
      }
      actions={[
        isActive(scan)
          ? {
              ...{ text: 'Cancel scan', look: 'danger' },
              onSelect: () => cancel.mutate(id),
              blocked: blocked('discovery:create'),
            }
          : { text: 'Scan again', onSelect: () => void set({ new: '1' }), blocked: blocked('discovery:create') },
      ]}
      menu={
        <MenuItem onSelect={() => void navigate({ to: '/discovered-devices', search: { network: scan.network_id } })}>
          All discovered devices of the network
        </MenuItem>
      }
      above={
        <>
          <p className="sr" role="status">
            {scanStatusText(scan.status)}
          </p>
          <div className={css.scanHead}>
            <Facts scan={scan} />
            <ReviewLink scan={scan} />
            {scan.error_message !== '' && <Alert>{scan.error_message}</Alert>}
            <ScanProgress scan={scan} network={name} label={network?.scanner} />
          </div>
        </>
      }
      tabs={[
        { id: 'hosts', text: 'Hosts', count: scan.found_hosts, content: <ScanHosts scan={scan} />, isFull: true },
        { id: 'diff', text: 'Differences', content: <ScanDifferences scan={scan} /> },
        { id: 'log', text: 'Log', count: scan.log.length, content: <ScanLog scan={scan} /> },
      ]}
      hints={[
        [['j', 'k'], 'move'],
        [['↵'], 'open'],
      ]}
    >
      {search.new !== undefined && (
        <StartScan networkId={scan.network_id} onClose={() => void set({ new: undefined })} />
      )}
      {search.entry !== undefined && (
        <EvidenceDrawer key={search.entry} id={search.entry} onClose={() => void set({ entry: undefined })} />
      )}
    </ObjectPage>
  )
}
