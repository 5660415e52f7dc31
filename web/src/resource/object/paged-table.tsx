/** A table with pages that are loaded as it is scrolled, and its states without rows. */
import { type ReactNode, useEffect } from 'react'
import { announced } from '../../shell/announcer.tsx'
import type { Column, Sorting } from '../../table/column.ts'
import { DataTable } from '../../table/data-table.tsx'
import css from '../../table/table.module.css'
import { TableSkeleton } from '../../table/table-skeleton.tsx'
import type { usePagedView } from '../../table/use-paged-view.ts'
import { Button } from '../../ui/button.tsx'
import { Failure, State } from '../../ui/states.tsx'

type Props<Row extends { readonly id: string }> = {
  readonly label: string
  readonly paged: ReturnType<typeof usePagedView<Row>>
  readonly columns: readonly Column<Row>[]
  readonly sorting: Sorting
  readonly getName: (row: Row) => string
  readonly onOpen: (row: Row) => void
  /** Announced when it changes. */
  readonly summary?: string
  /** The title of a filter that matches nothing, and the way out of it; undefined without a filter. */
  readonly filtered?: { readonly title: string; readonly onClear: () => void } | undefined
  /** The state of a list without rows and filter. */
  readonly empty: ReactNode
}

export const PagedTable = <Row extends { readonly id: string }>(props: Props<Row>) => {
  const { label, columns, sorting, getName, onOpen, summary = '', filtered, empty } = props
  const { query, view, rows } = props.paged
  useEffect(() => {
    if (summary !== '') announced.set(summary)
  }, [summary])
  return (
    <div className={css.wrap}>
      {!query.data && query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {!query.data && !query.error && <TableSkeleton columns={columns} />}
      {query.data && rows.length === 0 && !filtered && empty}
      {query.data && rows.length === 0 && filtered && (
        <State title={filtered.title}>
          <Button onClick={filtered.onClear}>Clear filter</Button>
        </State>
      )}
      {rows.length > 0 && (
        <DataTable
          label={label}
          columns={columns}
          view={view}
          sorting={sorting}
          onSort={() => {}}
          getId={({ id }) => id}
          getName={getName}
          actions={{ open: onOpen }}
        />
      )}
    </div>
  )
}
