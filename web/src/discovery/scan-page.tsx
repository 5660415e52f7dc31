/** The page of one scan: its progress, its hosts, the differences from the scan before, and its log. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { announced } from '../shell/announcer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { EvidenceDrawer } from './evidence-drawer.tsx'
import { ScanStatus, scanStatusText } from './marks.tsx'
import { useNetworks } from './network-choice.tsx'
import { isActive, scanQuery } from './queries.ts'
import { DeleteScan, useCancelScan, useDiscoveryChanged } from './scan-actions.tsx'
import { ScanDifferences } from './scan-diff.tsx'
import { ScanHosts } from './scan-hosts.tsx'
import { ScanLog } from './scan-log.tsx'
import css from './scans.module.css'
import type { ScanDetail } from './shapes.ts'
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

const Facts = ({ scan }: { readonly scan: ScanDetail }) => (
  <p className={css.scanFacts}>
    <ScanStatus status={scan.status} />
    <span>{scan.scan_type} scan</span>
    <span className="muted">
      {scan.rule_id === null ? `by ${scan.created_by || 'unknown'}` : 'by the rule of the network'},{' '}
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

type ContentProps = { readonly scan: ScanDetail; readonly tab: string; readonly network: string }

const Content = ({ scan, tab, network }: ContentProps) => (
  <>
    <div className={css.scanHead}>
      <Facts scan={scan} />
      {scan.error_message !== '' && <Alert>{scan.error_message}</Alert>}
      <ScanProgress scan={scan} network={network} />
    </div>
    <Tabs
      label="About this scan"
      current={tab}
      tabs={[
        { id: 'hosts', text: 'Hosts', count: scan.found_hosts },
        { id: 'diff', text: 'Differences' },
        { id: 'log', text: 'Log', count: scan.log.length },
      ]}
    />
    {tab === 'hosts' ? (
      <ScanHosts scan={scan} />
    ) : (
      <PageBody>{tab === 'diff' ? <ScanDifferences scan={scan} /> : <ScanLog scan={scan} />}</PageBody>
    )}
  </>
)

export const ScanPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { data: scan, error, refetch } = useQuery(scanQuery(id))
  const networks = useNetworks()
  const [isDoomed, setPendingDelete] = useState(false)
  const cancel = useCancelScan()
  const getCall = useCommand(contracts.scans.get, { id })
  useEnding(scan)
  useHotkeys(may('discovery:delete') && scan ? { '#': () => setPendingDelete(true) } : {})
  if (!scan)
    return (
      <>
        <PageHead title="Scan" parent={PARENT} />
        {error ? <Failure error={error} onRetry={() => void refetch()} noun="scan" /> : <PageLoading />}
      </>
    )
  const network = networks.find((one) => one.id === scan.network_id)
  const name = network?.name ?? scan.network_id
  const isOn = isActive(scan)
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  return (
    <>
      <PageHead title={`Scan of ${name}`} parent={PARENT}>
        {network && (
          <Link to="/networks/$id" params={{ id: network.id }} className={`link ${css.roomy}`}>
            <span className="mono">{network.subnet}</span>
          </Link>
        )}
        {isOn ? (
          <Button look="danger" onClick={() => cancel.mutate(id)} blocked={blocked('discovery:create')}>
            Cancel scan
          </Button>
        ) : (
          <Button onClick={() => void set({ new: '1' })} blocked={blocked('discovery:create')}>
            Scan again
          </Button>
        )}
        <Menu trigger={more}>
          <MenuItem onSelect={() => void navigate({ to: '/found', search: { network: scan.network_id } })}>
            All found in the network
          </MenuItem>
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setPendingDelete(true)}
            blocked={may('discovery:delete') ? undefined : 'discovery:delete'}
          >
            Delete scan<kbd>#</kbd>
          </MenuItem>
        </Menu>
      </PageHead>
      <p className="sr" role="status">
        {scanStatusText(scan.status)}
      </p>
      <Content scan={scan} tab={search.tab ?? 'hosts'} network={name} />
      <Hints
        hints={[
          [['j', 'k'], 'move'],
          [['↵'], 'open'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {search.new !== undefined && (
        <StartScan networkId={scan.network_id} onClose={() => void set({ new: undefined })} />
      )}
      {search.entry !== undefined && (
        <EvidenceDrawer key={search.entry} id={search.entry} onClose={() => void set({ entry: undefined })} />
      )}
      {isDoomed && (
        <DeleteScan
          scan={scan}
          network={name}
          onClose={() => setPendingDelete(false)}
          onDone={() => void navigate({ to: '/scans' })}
        />
      )}
    </>
  )
}
