/** Every address of a network that is taken: by a device, or by a reservation. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ipKey, parseIp } from '../../../src/net/ip.ts'
import type { Device, Network, Reservation } from '../api/contracts.ts'
import { poolsQuery, reservationsQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { useLocalView } from '../table/view.ts'
import { plural } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Failure, State } from '../ui/states.tsx'
import { MOST_DEVICES } from './devices-table.tsx'
import type { NetworkDevices } from './use-devices.ts'

type Row = {
  readonly id: string
  readonly ip: string
  readonly kind: 'device' | 'reservation'
  /** Whose it is: the name of a device, or what it is reserved for. */
  readonly name: string
  readonly deviceId: string
  readonly label: string
  readonly pool: string
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'address',
    text: 'Address',
    width: 170,
    isSortable: true,
    isEssential: true,
    cell: ({ ip }) => <span className="mono">{ip}</span>,
  },
  {
    id: 'kind',
    text: 'State',
    width: 110,
    isSortable: true,
    cell: ({ kind }) => (
      <Badge tone={kind === 'device' ? 'info' : 'warn'}>{kind === 'device' ? 'used' : 'reserved'}</Badge>
    ),
  },
  {
    id: 'name',
    text: 'Held by',
    width: 220,
    isSortable: true,
    isEssential: true,
    cell: ({ kind, name, deviceId }) =>
      kind === 'device' ? (
        <RowLink to="devices" id={deviceId}>
          {name}
        </RowLink>
      ) : (
        name
      ),
  },
  { id: 'label', text: 'Label', width: 160, cell: ({ label }) => label },
  { id: 'pool', text: 'Pool', width: 160, isSortable: true, cell: ({ pool }) => pool },
]

const keyOf = (text: string): string => {
  const ip = parseIp(text)
  return ip ? ipKey(ip) : text
}

const SPEC: TableSpec<Row> = {
  id: ({ id }) => id,
  text: ({ ip, name }) => `${ip}\n${name}`,
  sorts: {
    address: ({ ip }) => keyOf(ip),
    kind: ({ kind }) => kind,
    name: ({ name }) => name,
    pool: ({ pool }) => pool,
  },
  fields: {},
  facets: {},
}

const NO_POOLS: readonly never[] = []

const rowsOf = (
  networkId: string,
  devices: readonly Device[],
  reservations: readonly Reservation[],
  poolNames: ReadonlyMap<string, string>,
): readonly Row[] => [
  ...devices.flatMap(({ id, name, addresses }) =>
    addresses.flatMap(({ ip, label, network_id, pool_id }, index): Row[] => {
      if (network_id !== networkId) return []
      const pool = poolNames.get(pool_id ?? '') ?? ''
      return [{ id: `${id} ${index}`, ip, kind: 'device', name, deviceId: id, label, pool }]
    }),
  ),
  ...reservations.map(
    ({ id, ip_address, hostname, purpose, pool_id }): Row => ({
      id,
      ip: ip_address,
      kind: 'reservation',
      name: purpose || hostname,
      deviceId: '',
      label: purpose === '' ? '' : hostname,
      pool: poolNames.get(pool_id) ?? '',
    }),
  ),
]

type Props = { readonly network: Network; readonly devices: NetworkDevices }

export const AddressesTab = ({ network, devices }: Props) => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const { data: pools = NO_POOLS } = useQuery({ ...poolsQuery, enabled: may('pools:list') })
  const { data: reserved = NO_POOLS } = useQuery({ ...reservationsQuery, enabled: may('reservations:list') })
  const { sort, isDescending, onSort } = useSorting('address')
  const rows = useMemo(() => {
    const names = new Map(pools.flatMap(({ id, name, network_id }) => (network_id === network.id ? [[id, name]] : [])))
    return rowsOf(
      network.id,
      devices.data ?? NO_POOLS,
      reserved.filter(({ pool_id }) => names.has(pool_id)),
      names,
    )
  }, [network.id, devices.data, pools, reserved])
  const view = useLocalView(rows, SPEC, { q: '', sort, isDescending })
  if (devices.error && !devices.data) return <Failure error={devices.error} onRetry={() => void devices.refetch()} />
  if (!devices.data) return <TableSkeleton columns={COLUMNS} />
  if (rows.length === 0) return <State title="Every address is free" text="No device and no reservation has one yet." />
  return (
    <>
      {devices.data.length === MOST_DEVICES && (
        <p className={tableCss.note}>These are the addresses of the first {plural(MOST_DEVICES, 'device')}.</p>
      )}
      <div className={tableCss.wrap}>
        <DataTable
          label="Addresses"
          columns={COLUMNS}
          view={view}
          sorting={{ sort, isDescending }}
          onSort={onSort}
          idOf={SPEC.id}
          nameOf={({ ip }) => ip}
          actions={{
            open: ({ kind, deviceId, ip }) =>
              void (kind === 'device'
                ? navigate({ to: '/devices/$id', params: { id: deviceId } })
                : navigate({ to: '/reservations', search: { q: ip } })),
          }}
        />
      </div>
    </>
  )
}
