/** The devices of a network or of a datacenter: the first of them here, all of them in the table of devices. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode, useMemo } from 'react'
import { api } from '../api/client.ts'
import type { Device, Network } from '../api/contracts.ts'
import { buildDeviceSpec, createRowMapper, type DeviceRow } from '../devices/column-spec.ts'
import { DEVICE_COLUMNS } from '../devices/columns.tsx'
import { usePermitted } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { LocalTable } from '../table/local-table.tsx'
import { plural } from '../ui/format.ts'
import { RowLink } from '../ui/row-link.tsx'
import { State } from '../ui/states.tsx'

/** More than these are for the table that holds them all. */
export const MOST_DEVICES = 1000

const SHOWN = new Set(['name', 'address', 'status', 'model', 'os', 'tags'])
const COLUMNS = DEVICE_COLUMNS.filter(({ id }) => SHOWN.has(id))

export type NetworkDevices = ReturnType<typeof useNetworkDevices>

type Wanted = { readonly isWanted: boolean; readonly isNested: boolean }

/** The devices with an address in a network, and in the networks inside it, asked for once for all that shows them. */
export const useNetworkDevices = (id: string, { isWanted, isNested }: Wanted) =>
  usePermitted('devices:list', {
    queryKey: ['network', id, 'devices', isNested],
    queryFn: () => api.networks.devices({ id, limit: MOST_DEVICES, ...(isNested && { nested: true }) }),
    enabled: isWanted,
  })

type Row = { readonly device: Device; readonly row: DeviceRow }

/** Returns the column with the networks of the addresses of each device. */
const buildNetworksColumn = (list: (device: Device) => readonly Network[]): Column<Row> => ({
  id: 'networks',
  text: 'Network',
  width: 180,
  cell: ({ device }) =>
    list(device).map(({ id, name }, index) => (
      <Fragment key={id}>
        {index > 0 && ', '}
        <RowLink to="networks" id={id}>
          {name}
        </RowLink>
      </Fragment>
    )),
})

const columns = COLUMNS.map(
  (column): Column<Row> => ({ ...column, toText: undefined, cell: ({ row }: Row) => column.cell(row) }),
)
const NO_NAMES: ReadonlyMap<string, string> = new Map()
const rowOf = createRowMapper(NO_NAMES)
const SORTS = Object.entries(buildDeviceSpec(NO_NAMES).sorts)

/** Sorts as the table of all devices does. */
const SPEC: TableSpec<Row> = {
  id: ({ row }) => row.id,
  text: ({ row }) => row.name,
  sorts: Object.fromEntries(SORTS.map(([name, key]) => [name, ({ device }: Row) => key(device)])),
  fields: {},
  facets: {},
}

type Props = {
  /** Undefined while they are on their way. */
  readonly devices: readonly Device[] | undefined
  readonly error: unknown
  readonly refetch: () => unknown
  /** The filter of the table that shows all of them. */
  readonly filter: string
  readonly empty: string
  /** The networks among those that are shown together to which a device belongs; they get a column. */
  readonly listNetworks?: ((device: Device) => readonly Network[]) | undefined
  /** Controls above the table. */
  readonly tools?: ReactNode
}

export const DevicesTable = ({ devices, error, refetch, filter, empty, listNetworks, tools }: Props) => {
  const navigate = useNavigate()
  const rows = useMemo(() => devices?.map((device): Row => ({ device, row: rowOf(device) })), [devices])
  const shown = useMemo(
    () => (listNetworks ? columns.toSpliced(2, 0, buildNetworksColumn(listNetworks)) : columns),
    [listNetworks],
  )
  const note = (
    <>
      {devices?.length === MOST_DEVICES && `These are the first ${plural(MOST_DEVICES, 'device')}. `}
      <Link to="/devices" search={{ q: filter }} className="link">
        Open in Devices
      </Link>
    </>
  )
  return (
    <LocalTable
      label="Devices"
      rows={rows}
      error={error}
      refetch={refetch}
      spec={SPEC}
      columns={shown}
      sort="name"
      getName={({ row }) => row.name}
      open={({ row }) => void navigate({ to: '/devices/$id', params: { id: row.id } })}
      tools={tools}
      note={devices?.length !== 0 && note}
      empty={<State title="No devices" text={empty} />}
    />
  )
}
