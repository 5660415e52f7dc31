/** A sorted table of rows that are all loaded at once, without a filter. Its order is in the URL. */
import type { ReactNode } from 'react'
import { Failure } from '../ui/states.tsx'
import type { Column } from './column.ts'
import { DataTable } from './data-table.tsx'
import type { TableSpec } from './engine.ts'
import { useSorting } from './list-search.ts'
import css from './table.module.css'
import { TableSkeleton } from './table-skeleton.tsx'
import type { RowActions } from './use-cursor.ts'
import { useLocalView } from './view.ts'

type Props<Row> = {
  readonly label: string
  /** Undefined while they are loaded. */
  readonly rows: readonly Row[] | undefined
  readonly error?: unknown
  readonly refetch?: () => unknown
  readonly spec: TableSpec<Row>
  readonly columns: readonly Column<Row>[]
  /** The column by which the rows are sorted at first. */
  readonly sort: string
  readonly getName: (row: Row) => string
  readonly open?: RowActions<Row>['open']
  readonly remove?: RowActions<Row>['remove']
  /** Controls above the table, also of an empty one. */
  readonly tools?: ReactNode
  /** A line above the table. */
  readonly note?: ReactNode
  /** In the place of a table without rows. */
  readonly empty: ReactNode
}

const NONE: readonly never[] = []

export const LocalTable = <Row,>(props: Props<Row>) => {
  const { label, rows, error, refetch, spec, columns, sort: initial, getName, open, remove, tools, note, empty } = props
  const { sort, isDescending, onSort } = useSorting(initial)
  const view = useLocalView(rows ?? NONE, spec, { q: '', sort, isDescending })
  if (!rows && error) return <Failure error={error} onRetry={() => void refetch?.()} />
  if (!rows) return <TableSkeleton columns={columns} />
  return (
    <>
      {tools}
      {note && <p className={css.note}>{note}</p>}
      <div className={css.wrap}>
        {rows.length === 0 ? (
          empty
        ) : (
          <DataTable
            label={label}
            columns={columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={spec.id}
            getName={getName}
            actions={{ ...(open ? { open } : {}), remove }}
          />
        )}
      </div>
    </>
  )
}
