/** The devices of a network or of a datacenter: the first of them here, all of them in the table of devices. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Device } from '../api/contracts.ts'
import { DEVICE_COLUMNS } from '../devices/columns.tsx'
import { type DeviceRow, deviceRows, deviceSpec } from '../devices/spec.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { useLocalView } from '../table/view.ts'
import { plural } from '../ui/format.ts'
import { Failure, State } from '../ui/states.tsx'

/** More than these are for the table that holds them all. */
export const MOST_DEVICES = 1000

const SHOWN = new Set(['name', 'address', 'status', 'model', 'os', 'tags'])
const COLUMNS = DEVICE_COLUMNS.filter(({ id }) => SHOWN.has(id))

type Row = { readonly device: Device; readonly row: DeviceRow }

/** Sorts as the table of all devices does. */
const specFor = (names: ReadonlyMap<string, string>): TableSpec<Row> => {
  const { sorts } = deviceSpec(names)
  return {
    id: ({ row }) => row.id,
    text: ({ row }) => row.name,
    sorts: Object.fromEntries(Object.entries(sorts).map(([name, key]) => [name, ({ device }: Row) => key(device)])),
    fields: {},
    facets: {},
  }
}

const columns = COLUMNS.map((column) => ({ ...column, cell: ({ row }: Row) => column.cell(row) }))
const NONE: readonly Device[] = []
const NO_NAMES: ReadonlyMap<string, string> = new Map()
const rowOf = deviceRows(NO_NAMES)

type Props = {
  /** Undefined while they are on their way. */
  readonly devices: readonly Device[] | undefined
  readonly error: unknown
  readonly onRetry: () => void
  /** The filter of the table that shows all of them. */
  readonly filter: string
  readonly empty: string
}

export const DevicesTable = ({ devices, error, onRetry, filter, empty }: Props) => {
  const navigate = useNavigate()
  const { sort, isDescending, onSort } = useSorting('name')
  const spec = useMemo(() => specFor(NO_NAMES), [])
  const rows = useMemo(() => (devices ?? NONE).map((device): Row => ({ device, row: rowOf(device) })), [devices])
  const view = useLocalView(rows, spec, { q: '', sort, isDescending })
  if (!devices && error !== null) return <Failure error={error} onRetry={onRetry} />
  if (!devices) return <TableSkeleton columns={columns} />
  if (devices.length === 0) return <State title="No devices" text={empty} />
  return (
    <>
      <p className={tableCss.note}>
        {devices.length === MOST_DEVICES && `These are the first ${plural(MOST_DEVICES, 'device')}. `}
        <Link to="/devices" search={{ q: filter }} className="link">
          In the table of devices
        </Link>
      </p>
      <div className={tableCss.wrap}>
        <DataTable
          label="Devices"
          columns={columns}
          view={view}
          sorting={{ sort, isDescending }}
          onSort={onSort}
          idOf={spec.id}
          nameOf={({ row }) => row.name}
          actions={{ open: ({ row }) => void navigate({ to: '/devices/$id', params: { id: row.id } }) }}
        />
      </div>
    </>
  )
}
