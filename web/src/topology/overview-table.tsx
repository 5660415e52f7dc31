/** The overview as a table, one row for each datacenter. */

import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { toSortKey } from '../../../src/net/name-order.ts'
import { type Brief, STATES } from '../devices/window/messages.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { formatTerm } from '../table/filter.ts'
import { useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { useLocalView } from '../table/view.ts'
import { formatCount } from '../ui/format.ts'
import { placeText } from './overview-view.tsx'

type PlaceRow = { readonly name: string; readonly total: number; readonly states: readonly number[] }

const SPEC: TableSpec<PlaceRow> = {
  id: ({ name }) => name,
  text: ({ name }) => name,
  sorts: { name: ({ name }) => toSortKey(placeText(name)), total: ({ total }) => total },
  fields: {},
  facets: {},
}

const COLUMNS: readonly Column<PlaceRow>[] = [
  {
    id: 'name',
    text: 'Datacenter',
    width: 200,
    isSortable: true,
    isEssential: true,
    cell: ({ name }) =>
      name === '' ? (
        placeText(name)
      ) : (
        <Link to="/devices" search={{ q: formatTerm('dc', name) }} tabIndex={-1}>
          {name}
        </Link>
      ),
  },
  {
    id: 'total',
    text: 'Devices',
    width: 110,
    isSortable: true,
    isEssential: true,
    isRight: true,
    cell: ({ total }) => <span className="num">{formatCount(total)}</span>,
  },
  ...STATES.map(
    (state, index): Column<PlaceRow> => ({
      id: state,
      text: `${state.slice(0, 1).toUpperCase()}${state.slice(1)}`,
      width: 120,
      isRight: true,
      cell: ({ states }) => <span className="num">{formatCount(states[index] ?? 0)}</span>,
    }),
  ),
]

export const OverviewTable = ({
  brief,
  onOpen,
}: {
  readonly brief: Brief
  readonly onOpen: (name: string) => void
}) => {
  const { sort, isDescending, onSort } = useSorting('name')
  const rows = useMemo(() => {
    const states = brief.placeNames.map(() => STATES.map(() => 0))
    for (const [device, place] of brief.places.entries()) {
      const counts = states[place]
      const state = brief.states[device] ?? 0
      if (counts) counts[state] = (counts[state] ?? 0) + 1
    }
    return brief.placeNames.map((name, place): PlaceRow => {
      const counts = states[place] ?? []
      return { name, states: counts, total: counts.reduce((sum, value) => sum + value, 0) }
    })
  }, [brief])
  const table = useLocalView(rows, SPEC, { q: '', sort, isDescending })
  return (
    <div className={tableCss.wrap}>
      <DataTable
        label="Datacenters"
        columns={COLUMNS}
        view={table}
        sorting={{ sort, isDescending }}
        onSort={onSort}
        getId={SPEC.id}
        getName={({ name }) => placeText(name)}
        actions={{ open: ({ name }) => onOpen(name) }}
      />
    </div>
  )
}
