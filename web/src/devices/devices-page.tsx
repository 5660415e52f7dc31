/** All devices in one table. */

import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { isPast } from '../api/as-of.ts'
import { contracts, type Device } from '../api/contracts.ts'
import { useStore } from '../api/store.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { useActiveConflicts } from '../conflicts/active-mark.tsx'
import { useCustom } from '../custom-fields/known-custom.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { useHasRacks } from '../racks/known-racks.ts'
import { DeleteDialog } from '../resource/object/delete-dialog.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { useIsInUse, usePermit } from '../shell/me.ts'
import { type Hint, Hints, PageHead } from '../shell/page.tsx'
import { useSpaceChoice } from '../spaces/known-spaces.tsx'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { ListContent } from '../table/list-content.tsx'
import { usePageSearch, useSorting } from '../table/list-search.ts'
import css from '../table/table.module.css'
import { useSelection } from '../table/use-selection.ts'
import { Button } from '../ui/button.tsx'
import { formatMoment } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'
import { ViewsMenu } from '../views/views-menu.tsx'
import { addSpaceTerm, createRowMapper, DEVICE_FILTERS, type DeviceRow } from './column-spec.ts'
import { DEFAULT_COLUMNS, DEVICE_COLUMNS, isOffered } from './columns.tsx'
import { LazyDeviceDrawer } from './form/lazy-drawer.tsx'
import { useImported } from './imported.ts'
import { DELETE_WARNING, DEVICE_RESOURCE } from './resource.ts'
import { devices, MAX_ROWS } from './window/device-list-client.ts'
import type { Matching } from './window/server-filter.ts'
import { useDevices } from './window/use-devices.ts'

const HINTS: readonly Hint[] = [
  [['j', 'k'], 'move'],
  [['x'], 'select'],
  [['↵'], 'open'],
  [['e'], 'edit'],
  [['c'], 'create'],
  [['?'], 'all shortcuts'],
]

const LOOKING_HINTS = HINTS.filter(([, text]) => !['select', 'edit', 'create'].includes(text))

// The file includes the dialogs that it opens.
const BulkBar = lazy(() => import('./bulk/bulk-bar.tsx').then((module) => ({ default: module.BulkBar })))

const getId = (row: DeviceRow): string => row.id
const getName = (row: DeviceRow): string => row.name

export const DevicesPage = () => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { blocked, blockedNow } = usePermit()
  // Enough is asked for the drawer already, should the page begin with one.
  useActiveConflicts(search.edit === undefined)
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting('name')
  const { space, given, control } = useSpaceChoice()
  const custom = useCustom('devices')
  const [racks, types] = [useHasRacks(), useIsInUse('device-types')]
  const columns = useMemo(() => {
    const isColumn = isOffered({ racks, types })
    return [...DEVICE_COLUMNS.filter(({ id }) => isColumn(id)), ...(custom?.columns ?? [])]
  }, [custom, racks, types])
  const choice = useColumns('Devices', columns, DEFAULT_COLUMNS)
  const view = useDevices(
    { q: addSpaceTerm(text, space), sort, isDescending },
    choice.columns.map(({ id }) => id),
  )
  const onFilter = (q: string) => {
    devices.ahead({ q: addSpaceTerm(q, space), sort, isDescending })
    setText(q)
  }
  const state = useStore(devices.state)
  const many = useStore(devices.many)
  const some = useSelection(view)
  const [all, setAll] = useState<Matching>()
  const sorting = { sort, isDescending }
  const shown = many?.buildTableParts({ view, columns: choice.columns, sorting, maxRows: MAX_ROWS, some, all, setAll })
  const selection = shown?.selection ?? some
  useImported(selection.set)
  const [pendingDelete, setPendingDelete] = useState<DeviceRow>()
  const create = () => void set({ new: '1' })
  const mayCreate = blocked('devices:create') === undefined
  const mayChange = ['devices:update', 'devices:delete'].some((one) => blocked(one) === undefined)
  useHotkeys({
    ...(mayCreate ? { c: create } : {}),
    Escape: () => (selection.ids.size > 0 ? selection.clear() : setText('')),
  })
  const actions = {
    open: (row: DeviceRow) => void navigate({ to: '/devices/$id', params: { id: row.id } }),
    edit: blocked('devices:update') === undefined ? (row: DeviceRow) => void set({ edit: row.id }) : undefined,
    remove: blocked('devices:delete') === undefined ? setPendingDelete : undefined,
    copy: (row: DeviceRow) =>
      void navigator.clipboard.writeText(row.ip || row.id).then(() => toast(`Copied ${row.ip || row.id}`)),
  }
  return (
    <>
      <PageHead>
        <Button
          onClick={() => void navigate({ to: '/import' })}
          blocked={isPast() ? 'An import changes the present' : blockedNow('devices:create')}
        >
          Import
        </Button>
        <Button look="primary" onClick={create} blocked={blocked('devices:create')}>
          <Plus size={15} aria-hidden="true" />
          New device
        </Button>
      </PageHead>
      <FilterBar
        text={text}
        onChange={onFilter}
        placeholder="Name, address, tag:prod, os:debian, dc:fra, -status:planned"
        fields={(custom?.filters ?? DEVICE_FILTERS).filter(isOffered({ racks, types }))}
        loadFacets={devices.facets}
        noun="device"
        shown={view?.count}
        total={view?.total}
        waiting={shown?.waiting}
      >
        {control}
        <span className={css.end}>
          <ViewsMenu /> <CommandMenu getCall={() => ({ list: contracts.devices, q: text, given })} />{' '}
          <ExportMenu
            name="devices"
            count={view?.count ?? 0}
            columns={choice.columns}
            toRows={(found) => (found as Device[]).map(createRowMapper(devices.names()))}
            stream={shown?.stream}
            load={async () => devices.full((await view?.idsOf(0, view.count)) ?? [])}
          />{' '}
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      {state.error && view && (
        <p className={css.stale} role="status">
          Showing data from {formatMoment(new Date(state.loadedAtMs).toISOString())}: {state.error.message}
        </p>
      )}
      {shown?.note}
      <ListContent
        view={view}
        error={state.status === 'failed' ? state.error : undefined}
        refetch={devices.load}
        columns={choice.columns}
        filter={text}
        onClear={() => setText('')}
        noun="devices"
        empty={{
          title: space === undefined ? 'No devices yet' : 'No devices in this address space',
          text: 'A device is anything with an address: a server, a switch, a camera.',
          actions: mayCreate && (
            <Button look="primary" onClick={create}>
              New device
            </Button>
          ),
        }}
        table={
          view && (
            <DataTable
              label="Devices"
              columns={shown?.columns ?? choice.columns}
              view={view}
              sorting={shown?.sorting ?? sorting}
              onSort={onSort}
              getId={getId}
              getName={getName}
              actions={actions}
              selection={mayChange ? selection : undefined}
            />
          )
        }
      >
        {selection.ids.size > 0 && (
          <Suspense>
            <BulkBar
              ids={selection.ids}
              filter={text.trim()}
              loadOrder={async () => (view && !view.windowed ? view.idsOf(0, view.count) : [])}
              onDone={selection.clear}
            />
          </Suspense>
        )}
      </ListContent>
      <Hints hints={mayChange ? HINTS : LOOKING_HINTS} />
      {(search.new !== undefined || search.edit !== undefined) && (
        <LazyDeviceDrawer
          id={search.edit}
          onClose={() =>
            void set({ new: undefined, edit: undefined, ip: undefined, pool: undefined, network: undefined })
          }
        />
      )}
      {pendingDelete && (
        <DeleteDialog
          resource={DEVICE_RESOURCE}
          id={pendingDelete.id}
          name={pendingDelete.name}
          deleteWarning={DELETE_WARNING}
          onClose={() => setPendingDelete(undefined)}
        />
      )}
    </>
  )
}
