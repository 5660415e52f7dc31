/** The table of every list, and the map of a pool. */
import { useMemo, useState } from 'react'
import { buildAddressMap } from '../pools/address-map.ts'
import { Heatmap } from '../pools/heatmap.tsx'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { useSelection } from '../table/use-selection.ts'
import { useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import css from './stories.module.css'

type Row = { readonly id: string; readonly name: string; readonly size: number }

const ROWS: readonly Row[] = Array.from({ length: 200 }, (_, i) => ({ id: `${i}`, name: `row ${i}`, size: i * 17 }))

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', text: 'Name', width: 200, isSortable: true, isEssential: true, cell: ({ name }) => name },
  { id: 'size', text: 'Size', width: 120, isSortable: true, isRight: true, cell: ({ size }) => size },
]

const SPEC: TableSpec<Row> = {
  id: ({ id }) => id,
  text: ({ name }) => name,
  sorts: { name: ({ name }) => name, size: ({ size }) => size },
  fields: {},
  facets: {},
}

export const TableStory = () => {
  const [sorting, setSorting] = useState({ sort: 'size', isDescending: false })
  const view = useLocalView(ROWS, SPEC, { q: '', ...sorting })
  const selection = useSelection(view)
  return (
    <>
      <div className={css.table}>
        <DataTable
          label="Rows"
          columns={COLUMNS}
          view={view}
          sorting={sorting}
          onSort={(sort) => setSorting((old) => ({ sort, isDescending: old.sort === sort && !old.isDescending }))}
          getId={SPEC.id}
          getName={({ name }) => name}
          selection={selection}
        />
      </div>
      <div className={css.table}>
        <TableSkeleton columns={COLUMNS} />
      </div>
    </>
  )
}

const STATES = ['available', 'used', 'reserved'] as const

export const HeatmapStory = () => {
  const map = useMemo(
    () =>
      buildAddressMap(
        Array.from({ length: 600 }, (_, i) => ({
          ip: `10.0.${i >> 8}.${i & 255}`,
          status: STATES[(i * 7) % 11 > 6 ? 1 : (i * 5) % 13 === 0 ? 2 : 0] ?? 'available',
        })),
      ),
    [],
  )
  return map && <Heatmap map={map} onFree={() => <Button>Reserve</Button>} onReserved={() => <Button>Show</Button>} />
}
