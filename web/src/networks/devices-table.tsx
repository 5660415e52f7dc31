/** The devices of a network or of a datacenter: the first of them here, all of them in the table of devices. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Device } from '../api/contracts.ts'
import { buildDeviceSpec, createRowMapper, type DeviceRow } from '../devices/column-spec.ts'
import { DEVICE_COLUMNS } from '../devices/columns.tsx'
import type { TableSpec } from '../table/engine.ts'
import { LocalTable } from '../table/local-table.tsx'
import { plural } from '../ui/format.ts'
import { State } from '../ui/states.tsx'

/** More than these are for the table that holds them all. */
export const MOST_DEVICES = 1000

const SHOWN = new Set(['name', 'address', 'status', 'model', 'os', 'tags'])
const COLUMNS = DEVICE_COLUMNS.filter(({ id }) => SHOWN.has(id))

type Row = { readonly device: Device; readonly row: DeviceRow }

const columns = COLUMNS.map((column) => ({ ...column, cell: ({ row }: Row) => column.cell(row) }))
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
}

export const DevicesTable = ({ devices, error, refetch, filter, empty }: Props) => {
  const navigate = useNavigate()
  const rows = useMemo(() => devices?.map((device): Row => ({ device, row: rowOf(device) })), [devices])
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
      columns={columns}
      sort="name"
      getName={({ row }) => row.name}
      open={({ row }) => void navigate({ to: '/devices/$id', params: { id: row.id } })}
      note={devices?.length !== 0 && note}
      empty={<State title="No devices" text={empty} />}
    />
  )
}
