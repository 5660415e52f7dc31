/** A page that is one list: its head, filter, table, and the drawer over it. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageHead } from '../shell/page.tsx'
import type { Column } from '../table/column.ts'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { usePageSearch, useSorting } from '../table/list-search.ts'
import css from '../table/table.module.css'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { allOf, useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { Failure, State } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import { ViewsMenu } from '../views/views-menu.tsx'
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
  readonly defaultColumns: readonly string[]
  readonly sort: string
  readonly placeholder: string
  readonly empty: string
  readonly deleteWarning: string
  readonly open?: (row: T) => void
  /** Undefined where objects of this kind are made on another page. */
  readonly canCreate?: boolean
  readonly tools?: ReactNode
  /** Without this permission there is nothing to see, and nothing is asked for. */
  readonly needs?: string
  /** A line above the list. */
  readonly note?: ReactNode
  /** Longer content above the list. */
  readonly above?: ReactNode
  /** Where more decides than the permissions that are named after the resource. */
  readonly rules?: Rules<T>
  /** Further buttons of the page. */
  readonly actions?: ReactNode
  /** Parts of the list, each with a URL of its own. */
  readonly tabs?: ReactNode
  /** Said in the place of “No networks yet”. */
  readonly nothing?: string
  /** In the place of the drawer of the resource. */
  readonly drawer?: (id: string | undefined, close: () => void) => ReactNode
  /** In the place of the question whether to delete. */
  readonly removal?: (row: T, close: () => void) => ReactNode
}

export type Rules<T> = {
  /** Why nothing can be made; undefined where it can. */
  readonly create?: { readonly blocked: string | undefined }
  /** Why a row can't be changed or deleted. */
  readonly edit?: (row: T) => string | undefined
  readonly remove?: (row: T) => string | undefined
}

const NONE: readonly never[] = []

/** `Users` as `users`, `API keys` as it is. */
const inSentence = (title: string): string => title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())

export const ListPage = <T extends object>(props: Props<T>) => {
  const {
    title,
    resourceName,
    resource,
    query,
    spec,
    columns,
    defaultColumns,
    placeholder,
    open,
    canCreate = true,
  } = props
  const { search, set } = usePageSearch()
  const { may, blocked } = usePermit()
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting(props.sort)
  const rows: readonly T[] = query.data ?? NONE
  const view = useLocalView(rows, spec, { q: text, sort, isDescending })
  const choice = useColumns(columns, defaultColumns)
  const [pendingDelete, setPendingDelete] = useState<T>()
  const create = () => void set({ new: '1' })
  const rules: Rules<T> = props.rules ?? {}
  const noCreate = rules.create ? rules.create.blocked : blocked(`${resourceName}:create`)
  const mayCreate = canCreate && noCreate === undefined
  const unless = (rule: ((row: T) => string | undefined) | undefined, action: (row: T) => void) => (row: T) => {
    const reason = rule?.(row)
    if (reason === undefined) action(row)
    else toast(reason)
  }
  useHotkeys({ ...(mayCreate ? { c: create } : {}), Escape: () => setText('') })
  // Without fields there is nothing to change.
  const canEdit = resource.fields.length > 0 && may(`${resourceName}:update`)
  const filter = text.trim()
  const denied = props.needs !== undefined && !may(props.needs)
  const close = () => void set({ new: undefined, edit: undefined, subnet: undefined, network: undefined })
  return (
    <>
      <PageHead title={title}>
        {props.actions}
        {canCreate && (
          <Button look="primary" onClick={create} blocked={noCreate}>
            <Plus size={15} aria-hidden="true" />
            New {resource.noun}
          </Button>
        )}
      </PageHead>
      {props.tabs}
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
          <ViewsMenu /> <CommandMenu getCall={() => ({ list: resource.operations, q: text })} />{' '}
          <ExportMenu name={resourceName} count={view.count} load={async () => allOf(view)} />{' '}
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      {props.note !== undefined && <p className={css.note}>{props.note}</p>}
      {props.above}
      <div className={css.wrap}>
        {denied && <Failure error={new AppError('FORBIDDEN', `This needs the permission ${props.needs}`)} />}
        {!query.data && query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {!query.data && !query.error && !denied && <TableSkeleton columns={choice.columns} />}
        {query.data && view.count === 0 && filter !== '' && (
          <State title={`Nothing matches “${filter}”`} text={`There are ${view.total} without the filter.`}>
            <Button onClick={() => setText('')}>Clear filter</Button>
          </State>
        )}
        {query.data && view.count === 0 && filter === '' && (
          <State title={props.nothing ?? `No ${inSentence(title)} yet`} text={props.empty}>
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
              edit: canEdit ? unless(rules.edit, (row) => void set({ edit: spec.id(row) })) : undefined,
              remove:
                rules.remove || may(`${resourceName}:delete`) ? unless(rules.remove, setPendingDelete) : undefined,
            }}
          />
        )}
      </div>
      <Hints
        hints={[
          [['j', 'k'], 'move'],
          ...(resource.fields.length > 0 ? [[['e'], 'edit'] as const] : []),
          ...(canCreate ? [[['c'], 'create'] as const] : []),
          [['#'], 'delete'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {(search.new !== undefined || search.edit !== undefined) && (
        <Fragment key={search.edit ?? 'new'}>
          {props.drawer ? (
            props.drawer(search.edit, close)
          ) : (
            <ResourceDrawer resource={resource} id={search.edit} onClose={close} />
          )}
        </Fragment>
      )}
      {pendingDelete && props.removal?.(pendingDelete, () => setPendingDelete(undefined))}
      {pendingDelete && !props.removal && (
        <DeleteDialog
          resource={resource}
          id={spec.id(pendingDelete)}
          name={resource.nameOf(pendingDelete)}
          deleteWarning={props.deleteWarning}
          onClose={() => setPendingDelete(undefined)}
        />
      )}
    </>
  )
}
