/** A page that is one list: its head, filter, table, and the drawer over it. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Fragment, type ReactNode, type RefCallback, useMemo, useState } from 'react'
import { CommandMenu } from '../commands/command-menu.tsx'
import { useCustom } from '../custom-fields/known-custom.tsx'
import type { WithCustom } from '../custom-fields/values.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { findNeeds } from '../proposals/known-proposals.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import { createForbidden, usePermit } from '../shell/me.ts'
import { Hints, PageHead, usePageName } from '../shell/page.tsx'
import type { Column } from '../table/column.ts'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { ListContent } from '../table/list-content.tsx'
import { usePageSearch, useSorting } from '../table/list-search.ts'
import css from '../table/table.module.css'
import type { RowActions } from '../table/use-cursor.ts'
import { listRows, useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { toSentenceCase } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'
import { ViewsMenu } from '../views/views-menu.tsx'
import { DeleteDialog } from './object/delete-dialog.tsx'
import type { Resource, Values } from './resource.ts'
import { ResourceDrawer } from './resource-drawer.tsx'
import { buildActionsColumn, type MenuSpec } from './row-menu.tsx'

/** The actions of a cell on its row: opens its drawer, or asks whether to delete it. */
export type RowRun<T> = { readonly edit: (row: T) => void; readonly remove: (row: T) => void }

export type ColumnsOf<T> = (run: RowRun<T>) => readonly Column<T>[]

type Props<T extends object> = {
  /** That of the navigation by default. */
  readonly title?: string
  /** First part of the permissions: `networks`. */
  readonly resourceName: string
  /** Whose custom fields the rows have, if it is not the resource: a kind. */
  readonly customOf?: string
  readonly resource: Resource<T>
  readonly query: UseQueryResult<readonly T[]>
  readonly spec: TableSpec<T>
  /** The same list or function while nothing in it changes. */
  readonly columns: readonly Column<T>[] | ColumnsOf<T>
  readonly defaultColumns: readonly string[]
  readonly sort: string
  readonly placeholder: string
  readonly empty: string
  readonly deleteWarning: string
  readonly open?: (row: T) => void
  /** Undefined where objects of this kind are made on another page. */
  readonly canCreate?: boolean
  readonly tools?: ReactNode
  /** Input of the call that lists the same, besides its filter. */
  readonly call?: Readonly<Record<string, unknown>>
  /** Nothing is shown or requested if the user lacks this permission. */
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
  /** Values of a new object. */
  readonly given?: Values
  /** `isNew` marks a created object. `values` are the values of the form. */
  readonly onSaved?: (value: T, isNew: boolean, values: Values) => void
  /** In the place of the drawer of the resource. */
  readonly drawer?: (id: string | undefined, close: () => void) => ReactNode
  /** The drawer that shows an object without its form. */
  readonly entry?: (id: string, close: () => void, remove: (row: T) => void) => ReactNode
  /** In the place of the question whether to delete. */
  readonly removal?: (row: T, close: () => void, onDone: () => void) => ReactNode
  /** The menu of each row, which is the last column. */
  readonly menu?: RowRules<T>
  /** Gets the focus once the list is drawn: the button that makes an object. */
  readonly createRef?: RefCallback<HTMLButtonElement>
  /** Stands behind the columns of custom fields. */
  readonly last?: Column<T> | undefined
  /** Further actions on the current row, by their keys. */
  readonly keys?: RowActions<T>['keys']
}

/** Further items of a menu, and further reasons against a change or a deletion than a missing permission. */
type RowRules<T> = Partial<Pick<MenuSpec<T>, 'more'>> & {
  /** Returns a missing permission; its name by default. */
  readonly needs?: (permission: string) => string | undefined
  readonly edit?: (row: T) => string | undefined
  readonly remove?: (row: T) => string | undefined
}

export type Rules<T> = {
  /** Why nothing can be made; undefined where it can. */
  readonly create?: { readonly blocked: string | undefined }
  /** Why a row can't be changed or deleted. */
  readonly edit?: (row: T) => string | undefined
  readonly remove?: (row: T) => string | undefined
}

const NONE: readonly never[] = []

type Verb = 'create' | 'update' | 'delete'

export const ListPage = <T extends object>(props: Props<T>) => {
  const name = usePageName()
  const { title = name, resourceName, resource, query, defaultColumns, placeholder, open, canCreate = true } = props
  const { search, set } = usePageSearch()
  const { may, blocked, blockedNow } = usePermit()
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting(props.sort)
  const custom = useCustom(props.customOf ?? resourceName)
  // Rows of a resource with custom fields have ids and values.
  const spec = useMemo(
    () => (custom ? (custom.extend(props.spec as TableSpec<T & WithCustom>) as TableSpec<T>) : props.spec),
    [custom, props.spec],
  )
  const rows: readonly T[] = query.data ?? NONE
  const view = useLocalView(rows, spec, { q: text, sort, isDescending })
  const [pendingDelete, setPendingDelete] = useState<T>()
  const edit = (row: T) => void set({ edit: spec.id(row) })
  const { menu } = props
  const toPermission = (verb: Verb) => `${resourceName}:${verb}`
  const explain = (verb: Verb) =>
    (findNeeds(resource.operations[verb]) === undefined ? blockedNow : blocked)(toPermission(verb))
  const findMissing = (verb: Verb) =>
    menu?.needs ? menu.needs(toPermission(verb)) : explain(verb) && toPermission(verb)
  const [noUpdate, noDelete] = [findMissing('update'), findMissing('delete')]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions stay the same
  const columns = useMemo(() => {
    const own = typeof props.columns === 'function' ? props.columns({ edit, remove: setPendingDelete }) : props.columns
    const actions = menu && [
      buildActionsColumn<T>({
        ...menu,
        ...{ noun: resource.noun, getName: resource.getName },
        // A resource without fields has nothing to change.
        edit: resource.fields.length > 0 ? { run: edit, blocked: (row) => noUpdate ?? menu.edit?.(row) } : undefined,
        remove: { run: setPendingDelete, blocked: (row) => noDelete ?? menu.remove?.(row) },
      }),
    ]
    return [
      ...own,
      ...(actions ?? []),
      ...((custom?.columns ?? []) as readonly Column<never>[] as readonly Column<T>[]),
      ...(props.last ? [props.last] : []),
    ]
  }, [props.columns, props.last, custom, menu?.edit, noUpdate, noDelete])
  const choice = useColumns(title, columns, defaultColumns)
  const create = () => void set({ new: '1' })
  const rules: Rules<T> = props.rules ?? {}
  const noCreate = rules.create ? rules.create.blocked : explain('create')
  const mayCreate = canCreate && noCreate === undefined
  const unless = (rule: ((row: T) => string | undefined) | undefined, action: (row: T) => void) => (row: T) => {
    const reason = rule?.(row)
    if (reason === undefined) action(row)
    else toast(reason)
  }
  useHotkeys({ ...(mayCreate ? { c: create } : {}), Escape: () => setText('') })
  // A resource without fields has nothing to change.
  const canEdit = resource.fields.length > 0 && explain('update') === undefined
  const denied = props.needs === undefined || may(props.needs) ? undefined : createForbidden(props.needs)
  const edited = rows.find((row) => spec.id(row) === search.edit)
  const noEdit = () => explain('update') ?? (edited && rules.edit?.(edited))
  const closeEntry = () => void set({ entry: undefined })
  const stopDelete = () => setPendingDelete(undefined)
  const onDeleted = () => (search.entry === undefined ? undefined : closeEntry())
  const close = () => void set({ new: undefined, edit: undefined, subnet: undefined, network: undefined })
  return (
    <>
      <PageHead title={title}>
        {props.actions}
        {canCreate && (
          <Button look="primary" ref={props.createRef} onClick={create} blocked={noCreate}>
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
          <ViewsMenu />{' '}
          <CommandMenu getCall={() => ({ list: resource.operations, q: text, given: props.call ?? {} })} />{' '}
          <ExportMenu
            name={resourceName}
            file={props.customOf}
            count={view.count}
            columns={choice.columns}
            load={async () => listRows(view)}
          />{' '}
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      {props.note !== undefined && <p className={css.note}>{props.note}</p>}
      {props.above}
      <ListContent
        view={query.data && view}
        error={denied ?? query.error}
        refetch={query.refetch}
        columns={choice.columns}
        filter={text}
        onClear={() => setText('')}
        empty={{
          title: props.nothing ?? `No ${toSentenceCase(title)} yet`,
          text: props.empty,
          actions: mayCreate && (
            <Button look="primary" onClick={create}>
              New {resource.noun}
            </Button>
          ),
        }}
        table={
          <DataTable
            label={title}
            columns={choice.columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={spec.id}
            getName={resource.getName}
            actions={{
              ...(open ? { open } : {}),
              edit: canEdit ? unless(rules.edit, edit) : undefined,
              remove:
                rules.remove || explain('delete') === undefined ? unless(rules.remove, setPendingDelete) : undefined,
              keys: props.keys,
            }}
          />
        }
      />
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
            <ResourceDrawer
              resource={resource}
              id={search.edit}
              given={props.given}
              onClose={close}
              onSaved={(value, values) => props.onSaved?.(value, search.edit === undefined, values)}
              blocked={search.edit === undefined ? noCreate : noEdit()}
            />
          )}
        </Fragment>
      )}
      {search.entry !== undefined && (
        <Fragment key={search.entry}>{props.entry?.(search.entry, closeEntry, setPendingDelete)}</Fragment>
      )}
      {pendingDelete && props.removal?.(pendingDelete, stopDelete, onDeleted)}
      {pendingDelete && !props.removal && (
        <DeleteDialog
          resource={resource}
          id={spec.id(pendingDelete)}
          name={resource.getName(pendingDelete)}
          deleteWarning={props.deleteWarning}
          onClose={stopDelete}
          onConfirmed={onDeleted}
        />
      )}
    </>
  )
}
