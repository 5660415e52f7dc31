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
import { countSeenAgain, listLastSeen } from './outcome.ts'

/** Twice the polling interval of the scan. Both together stay below the rate limit. */
const PACE_MS = 6000
const NONE: readonly DiscoveredDevice[] = []
const SHOWN = new Set(['name', 'address', 'mac', 'vendor', 'os', 'ports', 'confidence'])
const NO_NETWORKS = new Map()

type NotesProps = { readonly scan: Scan; readonly seenAgain: number; readonly isCut: boolean }

const Notes = ({ scan, seenAgain, isCut }: NotesProps) => {
  const isOld = !isActive(scan) && !isCut && seenAgain > 0
  if (!isCut && !isOld) return null
  return (
    <p className={tableCss.note}>
      {isCut && `These are the first ${plural(MOST_HOSTS, 'host')}. `}
      {isOld &&
        `${formatCount(seenAgain)} of ${plural(scan.found_hosts, 'address', 'addresses')} ${seenAgain === 1 ? 'was' : 'were'} seen again by a later scan. `}
      <Link to="/discovered-devices" search={{ network: scan.network_id }} className="link">
        All discovered devices of the network
      </Link>
    </p>
  )
}

const describeNoHosts = (scan: Scan, seenAgain: number): readonly [title: string, text: string] => {
  if (isActive(scan))
    return [
      scan.found_hosts > 0 ? 'The first results are on their way' : 'Nothing has answered yet',
      'Hosts are shown as they appear.',
    ]
  if (scan.found_hosts === 0)
    return ['Nothing answered', 'No address of the network answered, or a firewall kept the answers back.']
  return seenAgain > 0
    ? ['Seen again by a later scan', `All ${plural(scan.found_hosts, 'host')} of this scan have been seen since.`]
    : ['Nothing is left of this scan', 'The devices that it found have been deleted.']
}

const NoHosts = ({ scan, seenAgain }: Omit<NotesProps, 'isCut'>) => {
  const [title, text] = describeNoHosts(scan, seenAgain)
  return <State title={title} text={text} />
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
  const rows = useMemo(() => (data ? listLastSeen(scan, data.rows) : NONE), [data, scan])
  const spec = useMemo(() => buildDiscoveredDevicesSpec(NO_NETWORKS), [])
  const columns = useMemo(() => buildDiscoveredDevicesColumns(NO_NETWORKS).filter(({ id }) => SHOWN.has(id)), [])
  const view = useLocalView(rows, spec, { q: '', sort, isDescending })
  if (!may('discovery:list'))
    return <Failure error={new AppError('FORBIDDEN', 'This needs the permission discovery:list')} />
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <TableSkeleton columns={columns} />
  const seenAgain = countSeenAgain(scan, data.rows)
  return (
    <>
      <Notes scan={scan} seenAgain={seenAgain} isCut={data.total > data.rows.length} />
      <div className={tableCss.wrap}>
        {rows.length === 0 ? (
          <NoHosts scan={scan} seenAgain={seenAgain} />
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
