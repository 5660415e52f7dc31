/** Every address of a network that is taken: by a device, or by a reservation. */

import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { DEFAULT_SPACE, parseIpKey } from '../../../src/net/ip.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { Device, Network, Reservation } from '../api/contracts.ts'
import { poolsQuery, reservationsQuery } from '../api/queries.ts'
import { usePermitted } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { LocalTable } from '../table/local-table.tsx'
import { plural } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { State } from '../ui/states.tsx'
import { MOST_DEVICES } from './devices-table.tsx'
import type { NetworkDevices } from './use-devices.ts'

type Row = {
  readonly id: string
  readonly ip: string
  readonly kind: 'device' | 'reservation'
  /** The use of the address: the name of a device, or the purpose of the reservation. */
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

const SPEC: TableSpec<Row> = {
  id: ({ id }) => id,
  text: ({ ip, name }) => `${ip}\n${name}`,
  sorts: {
    address: ({ ip }) => parseIpKey(ip, DEFAULT_SPACE) ?? ip,
    kind: ({ kind }) => kind,
    name: ({ name }) => toSortKey(name),
    pool: ({ pool }) => toSortKey(pool),
  },
  fields: {},
  facets: {},
}

const NONE: readonly never[] = []

const buildRows = (
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

export const AddressesTab = ({ network, devices: { data: devices, error, refetch } }: Props) => {
  const navigate = useNavigate()
  const { data: pools = NONE } = usePermitted('pools:list', poolsQuery)
  const { data: reserved = NONE } = usePermitted('reservations:list', reservationsQuery)
  const rows = useMemo(() => {
    const names = new Map(pools.flatMap(({ id, name, network_id }) => (network_id === network.id ? [[id, name]] : [])))
    const own = reserved.filter(({ pool_id }) => names.has(pool_id))
    return devices && buildRows(network.id, devices, own, names)
  }, [network.id, devices, pools, reserved])
  return (
    <LocalTable
      label="Addresses"
      rows={rows}
      error={error}
      refetch={refetch}
      spec={SPEC}
      columns={COLUMNS}
      sort="address"
      getName={({ ip }) => ip}
      open={({ kind, deviceId, ip }) =>
        void (kind === 'device'
          ? navigate({ to: '/devices/$id', params: { id: deviceId } })
          : navigate({ to: '/reservations', search: { q: ip } }))
      }
      note={
        devices?.length === MOST_DEVICES && `These are the addresses of the first ${plural(MOST_DEVICES, 'device')}.`
      }
      empty={<State title="Every address is free" text="No device or reservation uses one yet." />}
    />
  )
}
