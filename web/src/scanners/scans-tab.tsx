/** The scans that a scanner took, of the newest ones of all. */
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useNow } from '../discovery/marks.tsx'
import { useNetworks } from '../discovery/networks.ts'
import { isActive, MOST_SCANS, scansQuery } from '../discovery/queries.ts'
import { DeleteScan, useCancelScan } from '../discovery/scans/scan-actions.tsx'
import { getNetworkName, scanColumns, scanSpec } from '../discovery/scans/scan-columns.tsx'
import type { Scan } from '../discovery/shapes.ts'
import { usePermitted } from '../shell/me.ts'
import { LocalTable } from '../table/local-table.tsx'
import { formatCount } from '../ui/format.ts'
import { State } from '../ui/states.tsx'
import type { Scanner } from './queries.ts'

const SHOWN: readonly string[] = [
  'network',
  'type',
  'status',
  'progress',
  'found',
  'created',
  'duration',
  'error',
  'tools',
]

export const ScansTab = ({ scanner: { id } }: { readonly scanner: Scanner }) => {
  const navigate = useNavigate()
  const { data, error, refetch } = usePermitted('discovery:list', scansQuery())
  const all = useNetworks()
  const cancel = useCancelScan()
  const [pendingDelete, setPendingDelete] = useState<Scan>()
  const networks = useMemo(() => new Map(all.map((network) => [network.id, network])), [all])
  const rows = useMemo(() => data?.filter(({ scanner_id }) => scanner_id === id), [data, id])
  const nowMs = useNow(rows?.some(isActive) === true)
  const spec = useMemo(() => scanSpec(networks), [networks])
  const columns = useMemo(
    () =>
      scanColumns({ networks, nowMs, onCancel: cancel.mutate, onDelete: setPendingDelete }).filter((column) =>
        SHOWN.includes(column.id),
      ),
    [networks, nowMs, cancel.mutate],
  )
  return (
    <>
      <LocalTable
        label="Scans"
        rows={rows}
        error={error}
        refetch={refetch}
        spec={spec}
        columns={columns}
        sort="created"
        getName={({ network_id }) => getNetworkName(networks, network_id)}
        open={(scan) => void navigate({ to: '/scans/$id', params: { id: scan.id } })}
        note={data?.length === MOST_SCANS && `Of the newest ${formatCount(MOST_SCANS)} scans.`}
        empty={<State title="No scans yet" text="Scans that it takes are listed here." />}
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
