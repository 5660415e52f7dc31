/** The hosts of a scan in a table, as they appear. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { AppError } from '../../../../src/contract/errors.ts'
import { usePermit } from '../../shell/me.ts'
import { DataTable } from '../../table/data-table.tsx'
import { usePageSearch, useSorting } from '../../table/list-search.ts'
import tableCss from '../../table/table.module.css'
import { TableSkeleton } from '../../table/table-skeleton.tsx'
import { useLocalView } from '../../table/view.ts'
import { formatCount, plural } from '../../ui/format.ts'
import { Failure, State } from '../../ui/states.tsx'
import { buildDiscoveredDevicesColumns } from '../discovered-devices-columns.tsx'
import { buildDiscoveredDevicesSpec } from '../discovered-devices-spec.ts'
import { getDiscoveredName } from '../labels.ts'
import { discoveredDevicesQuery, isActive, MOST_HOSTS, pollMs } from '../queries.ts'
import type { DiscoveredDevice, Scan } from '../shapes.ts'

/** Twice the polling interval of the scan. Both together stay below the rate limit. */
const PACE_MS = 6000
const NONE: readonly DiscoveredDevice[] = []
const SHOWN = new Set(['name', 'address', 'mac', 'vendor', 'os', 'ports', 'confidence'])
const NO_NETWORKS = new Map()

const Notes = ({ scan, shown, isCut }: { readonly scan: Scan; readonly shown: number; readonly isCut: boolean }) => {
  const later = scan.found_hosts - shown
  const isOld = !isActive(scan) && !isCut && later > 0
  if (!isCut && !isOld) return null
  return (
    <p className={tableCss.note}>
      {isCut && `These are the first ${plural(MOST_HOSTS, 'host')}. `}
      {isOld && `${formatCount(later)} of ${plural(scan.found_hosts, 'host')} were seen again by a later scan. `}
      <Link to="/discovered-devices" search={{ network: scan.network_id }} className="link">
        All discovered devices of the network
      </Link>
    </p>
  )
}

export const ScanHosts = ({ scan }: { readonly scan: Scan }) => {
  const { may } = usePermit()
  const { set } = usePageSearch()
  const isOn = isActive(scan)
  const { sort, isDescending, onSort } = useSorting('address')
  const { data, error, refetch } = useQuery({
    ...discoveredDevicesQuery({ network_id: scan.network_id, limit: MOST_HOSTS }),
    enabled: may('discovery:list'),
    refetchInterval: () => pollMs(isOn, PACE_MS),
  })
  // The first and the last hosts are loaded without delay.
  const seen = useRef(`${scan.status} ${scan.found_hosts > 0}`)
  useEffect(() => {
    const now = `${scan.status} ${scan.found_hosts > 0}`
    if (seen.current !== now) void refetch()
    seen.current = now
  }, [scan, refetch])
  const rows = useMemo(() => data?.rows.filter(({ last_scan_id }) => last_scan_id === scan.id) ?? NONE, [data, scan.id])
  const spec = useMemo(() => buildDiscoveredDevicesSpec(NO_NETWORKS), [])
  const columns = useMemo(() => buildDiscoveredDevicesColumns(NO_NETWORKS).filter(({ id }) => SHOWN.has(id)), [])
  const view = useLocalView(rows, spec, { q: '', sort, isDescending })
  if (!may('discovery:list'))
    return <Failure error={new AppError('FORBIDDEN', 'This needs the permission discovery:list')} />
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <TableSkeleton columns={columns} />
  return (
    <>
      <Notes scan={scan} shown={rows.length} isCut={data.total > data.rows.length} />
      <div className={tableCss.wrap}>
        {rows.length === 0 ? (
          <State
            title={
              isOn
                ? scan.found_hosts > 0
                  ? 'The first results are on their way'
                  : 'Nothing has answered yet'
                : scan.found_hosts === 0
                  ? 'Nothing answered'
                  : 'Seen again since'
            }
            text={
              isOn
                ? 'Hosts are shown as they appear.'
                : scan.found_hosts === 0
                  ? 'No address of the network answered, or a firewall kept the answers back.'
                  : `All ${plural(scan.found_hosts, 'host')} of this scan have been seen by a later one.`
            }
          />
        ) : (
          <DataTable
            label="Hosts"
            columns={columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={spec.id}
            getName={getDiscoveredName}
            actions={{ open: ({ id }) => void set({ entry: id }) }}
          />
        )}
      </div>
    </>
  )
}
