/** The list of all scans, running and completed. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { callTagged, write } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { ListPage } from '../../resource/list-page.tsx'
import type { Resource } from '../../resource/resource.ts'
import { useIsInUse, usePermit } from '../../shell/me.ts'
import { usePageSearch } from '../../table/list-search.ts'
import tableCss from '../../table/table.module.css'
import { formatCount } from '../../ui/format.ts'
import { useNow } from '../marks.tsx'
import { useNetworks } from '../networks.ts'
import { isActive, MOST_SCANS, scansQuery } from '../queries.ts'
import type { Scan } from '../shapes.ts'
import { RunningScans } from './running-scans.tsx'
import { DeleteScan, useCancelScan, useDiscoveryChanged } from './scan-actions.tsx'
import { getNetworkName, SCAN_DEFAULT_COLUMNS, scanColumns, scanSpec, WITH_SCANNER } from './scan-columns.tsx'
import { StartScan } from './start-scan.tsx'

const refuse = () => Promise.reject(new Error('a scan is started, and never edited'))

/** The parts of a resource that the list needs. Another drawer starts scans. */
const scanResource: Resource<Scan> = {
  noun: 'scan',
  fields: [],
  getName: ({ id }) => id,
  operations: contracts.scans,
  get: (id) => callTagged(contracts.scans.get, { id }),
  create: refuse,
  update: refuse,
  remove: (id) => write(contracts.scans.delete, { id }),
  changes: ['scans'],
}

/** The end of a scan invalidates the queries of its results. */
const useEndings = (running: number): void => {
  const changed = useDiscoveryChanged()
  const before = useRef(running)
  useEffect(() => {
    if (running < before.current) changed()
    before.current = running
  })
}

export const ScansPage = () => {
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const { search } = usePageSearch()
  const query = useQuery({ ...scansQuery(), enabled: may('discovery:list') })
  const all = useNetworks()
  const networks = useMemo(() => new Map(all.map((network) => [network.id, network])), [all])
  const [pendingDelete, setPendingDelete] = useState<Scan>()
  const cancel = useCancelScan()
  const running = query.data?.filter(isActive).length ?? 0
  useEndings(running)
  const nowMs = useNow(running > 0)
  const spec = useMemo(() => scanSpec(networks), [networks])
  const columns = useMemo(
    () => scanColumns({ networks, nowMs, onCancel: cancel.mutate, onDelete: setPendingDelete }),
    [networks, nowMs, cancel.mutate],
  )
  const isCut = query.data?.length === MOST_SCANS
  return (
    <>
      <ListPage
        resourceName="discovery"
        resource={scanResource}
        query={query}
        needs="discovery:list"
        spec={spec}
        columns={columns}
        defaultColumns={useIsInUse('scanners') ? WITH_SCANNER : SCAN_DEFAULT_COLUMNS}
        sort="created"
        placeholder="Network, status:failed, type:deep, by:schedule"
        empty="A scan finds the hosts of a network, and their differences from the documentation."
        deleteWarning=""
        above={
          <>
            <RunningScans scans={query.data ?? []} networks={networks} onCancel={cancel.mutate} />
            {isCut && <p className={tableCss.note}>These are the newest {formatCount(MOST_SCANS)} scans.</p>}
          </>
        }
        rules={{ create: { blocked: blocked('discovery:create') }, remove: () => blocked('discovery:delete') }}
        open={({ id }) => void navigate({ to: '/scans/$id', params: { id } })}
        drawer={(_, onClose) => <StartScan networkId={search.network} onClose={onClose} />}
        removal={(scan, onClose) => (
          <DeleteScan scan={scan} network={getNetworkName(networks, scan.network_id)} onClose={onClose} />
        )}
      />
      {pendingDelete && (
        <DeleteScan
          scan={pendingDelete}
          network={getNetworkName(networks, pendingDelete.network_id)}
          onClose={() => setPendingDelete(undefined)}
        />
      )}
    </>
  )
}
