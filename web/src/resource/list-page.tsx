/** A page that is one list: its head, filter, table, and the drawer over it. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageHead } from '../shell/page.tsx'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { type Column, DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { usePageSearch, useSorting } from '../table/list-search.ts'
import css from '../table/table.module.css'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { Failure, State } from '../ui/states.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import type { Resource } from './resource.ts'
import { ResourceDrawer } from './resource-drawer.tsx'

type Props<T extends object> = {
  readonly title: string
  /** First part of the permissions: `networks`. */
  readonly resourceName: string
  readonly resource: Resource<T>
  readonly query: UseQueryResult<readonly T[]>
  readonly spec: TableSpec<T>
  readonly columns: readonly Column<T>[]
  readonly usual: readonly string[]
  readonly sort: string
  readonly placeholder: string
  readonly empty: string
  readonly loss: string
  readonly open?: (row: T) => void
  /** Undefined where objects of this kind are made on another page. */
  readonly canCreate?: boolean
  readonly tools?: ReactNode
}

const NONE: readonly never[] = []

export const ListPage = <T extends object>(props: Props<T>) => {
  const { title, resourceName, resource, query, spec, columns, usual, placeholder, open, canCreate = true } = props
  const { search, set } = usePageSearch()
  const { may, blocked } = usePermit()
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting(props.sort)
  const rows: readonly T[] = query.data ?? NONE
  const view = useLocalView(rows, spec, { q: text, sort, isDescending })
  const choice = useColumns(columns, usual)
  const [doomed, setDoomed] = useState<T>()
  const create = () => void set({ new: '1' })
  const mayCreate = canCreate && may(`${resourceName}:create`)
  useHotkeys({ ...(mayCreate ? { c: create } : {}), Escape: () => setText('') })
  const filter = text.trim()
  const close = () => void set({ new: undefined, edit: undefined, subnet: undefined, network: undefined })
  return (
    <>
      <PageHead title={title}>
        {canCreate && (
          <Button look="primary" onClick={create} blocked={blocked(`${resourceName}:create`)}>
            <Plus size={15} aria-hidden="true" />
            New {resource.noun}
          </Button>
        )}
      </PageHead>
      <FilterBar
        text={text}
        onChange={setText}
        placeholder={placeholder}
        fields={Object.keys(spec.fields)}
        loadFacets={view.facets}
        noun={resource.noun}
        shown={query.data ? view.count : undefined}
        total={query.data ? view.total : undefined}
      >
        {props.tools}
        <span className={css.end}>
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      <div className={css.wrap}>
        {!query.data && query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {!query.data && !query.error && <TableSkeleton columns={choice.columns} />}
        {query.data && view.count === 0 && filter !== '' && (
          <State title={`Nothing matches “${filter}”`} text={`There are ${view.total} without the filter.`}>
            <Button onClick={() => setText('')}>Clear filter</Button>
          </State>
        )}
        {query.data && view.count === 0 && filter === '' && (
          <State title={`No ${title.toLowerCase()} yet`} text={props.empty}>
            {mayCreate && (
              <Button look="primary" onClick={create}>
                New {resource.noun}
              </Button>
            )}
          </State>
        )}
        {view.count > 0 && (
          <DataTable
            label={title}
            columns={choice.columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            idOf={spec.id}
            nameOf={resource.nameOf}
            actions={{
              ...(open ? { open } : {}),
              edit: may(`${resourceName}:update`) ? (row: T) => void set({ edit: spec.id(row) }) : undefined,
              remove: may(`${resourceName}:delete`) ? setDoomed : undefined,
            }}
          />
        )}
      </div>
      <Hints
        hints={[
          [['j', 'k'], 'move'],
          [['e'], 'edit'],
          ...(canCreate ? [[['c'], 'create'] as const] : []),
          [['#'], 'delete'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {(search.new !== undefined || search.edit !== undefined) && (
        <ResourceDrawer key={search.edit ?? 'new'} resource={resource} id={search.edit} onClose={close} />
      )}
      {doomed && (
        <DeleteDialog
          resource={resource}
          id={spec.id(doomed)}
          name={resource.nameOf(doomed)}
          loss={props.loss}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </>
  )
}
