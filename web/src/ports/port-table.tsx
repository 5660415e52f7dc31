/** The ports of a device as a table. */
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { useCustom } from '../custom-fields/known-custom.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { DeleteDialog } from '../resource/object/delete-dialog.tsx'
import { buildActionsColumn } from '../resource/row-menu.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { ListContent } from '../table/list-content.tsx'
import { useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { useSelection } from '../table/use-selection.ts'
import { listRows, useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { MenuItem } from '../ui/menu.tsx'
import { toast } from '../ui/toast.tsx'
import { buildPortFields, type Port } from './fields.ts'
import { formatPeer } from './labels.ts'
import { findFreeSide, useDisconnect } from './port-actions.tsx'
import { buildPortColumns, DEFAULT_COLUMNS } from './port-columns.tsx'
import css from './ports.module.css'
import { buildPortResource, DELETE_WARNING } from './resource.ts'
import { ViewChoice } from './view-choice.tsx'

const DeletePorts = lazy(() => import('./delete-ports.tsx').then((module) => ({ default: module.DeletePorts })))

export type PortsProps = {
  readonly ports: readonly Port[]
  /** The buttons of the tab. */
  readonly tools: ReactNode
  readonly onConnect: (port: Port) => void
  readonly onEdit: (port: Port) => void
}

type BulkProps = { readonly ids: ReadonlySet<string>; readonly filter: string; readonly onDone: () => void }

/** The actions for the selected ports. */
const BulkBar = ({ ids, filter, onDone }: BulkProps) => {
  const [isDeleting, setDeleting] = useState(false)
  const close = () => setDeleting(false)
  if (ids.size === 0) return null
  return (
    <div className={tableCss.bulk} role="toolbar" aria-label="Selected ports">
      <b>{formatCount(ids.size)} selected</b>
      <Button look="danger" onClick={() => setDeleting(true)}>
        Delete {formatCount(ids.size)}
      </Button>
      <Button isIcon look="quiet" aria-label="Clear the selection" onClick={onDone}>
        <X size={15} aria-hidden="true" />
      </Button>
      {isDeleting && (
        <Suspense>
          <DeletePorts
            ids={ids}
            filter={filter}
            onClose={close}
            onDone={() => {
              close()
              onDone()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

export const PortTable = ({ ports, tools, onConnect, onEdit }: PortsProps) => {
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting('name')
  const custom = useCustom('ports')
  const spec = useMemo(() => {
    const own = buildTableSpec(buildPortFields(ports), ['name', 'kind', 'peers', 'vlan_id'])
    return custom ? custom.extend(own) : own
  }, [ports, custom])
  const view = useLocalView(ports, spec, { q: text, sort, isDescending })
  const selection = useSelection(view)
  // A port that is deleted by another user is not selected.
  const selected = useMemo(
    () => new Set(ports.flatMap(({ id }) => (selection.ids.has(id) ? id : []))),
    [ports, selection.ids],
  )
  const mayDelete = blocked('ports:delete') === undefined
  useHotkeys({ Escape: () => (selected.size > 0 ? selection.clear() : setText('')) })
  const [pendingDelete, setPendingDelete] = useState<Port>()
  const { disconnect, dialog } = useDisconnect()
  const noCable = blocked('cables:create')
  const connect = (port: Port) => {
    if (findFreeSide(port) === undefined) toast(`${port.name} has a cable already`)
    else if (noCable === undefined) onConnect(port)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions stay the same
  const columns = useMemo(
    () => [
      ...buildPortColumns(ports),
      ...(custom ? custom.columns : []),
      buildActionsColumn<Port>({
        noun: 'port',
        getName: ({ name }) => name,
        edit: { run: onEdit, blocked: () => blocked('ports:update') && 'ports:update' },
        remove: { run: setPendingDelete, blocked: () => blocked('ports:delete') && 'ports:delete' },
        more: (port) => (
          <>
            {findFreeSide(port) !== undefined && (
              <MenuItem onSelect={() => connect(port)} blocked={noCable}>
                Connect…<kbd>l</kbd>
              </MenuItem>
            )}
            {port.peers?.map((peer) => (
              <MenuItem
                key={peer.cable_id}
                onSelect={() => disconnect(peer)}
                blocked={may('cables:delete') ? undefined : 'cables:delete'}
              >
                Disconnect from {formatPeer(peer)}
              </MenuItem>
            ))}
          </>
        ),
      }),
    ],
    [ports, custom],
  )
  const choice = useColumns('Ports', columns, DEFAULT_COLUMNS)
  return (
    <>
      <FilterBar
        text={text}
        onChange={setText}
        placeholder="Name, type, peer: or vlan:"
        fields={Object.keys(spec.fields)}
        loadFacets={view.facets}
        noun="port"
        shown={view.count}
        total={view.total}
      >
        <span className={css.tools}>
          {tools}
          <ViewChoice />
          <ExportMenu name="ports" count={view.count} columns={choice.columns} load={async () => listRows(view)} />
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      <ListContent
        view={view}
        error={null}
        refetch={() => undefined}
        columns={choice.columns}
        filter={text}
        onClear={() => setText('')}
        empty={{ title: 'No ports', text: '', actions: false }}
        table={
          <DataTable
            label="Ports"
            columns={choice.columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={spec.id}
            getName={({ name }) => name}
            actions={{
              open: ({ id }) => void navigate({ to: '/ports/$id', params: { id } }),
              edit: may('ports:update') ? onEdit : undefined,
              remove: mayDelete ? setPendingDelete : undefined,
              keys: { l: connect },
            }}
            selection={mayDelete ? { ...selection, ids: selected } : undefined}
          />
        }
      >
        <BulkBar ids={selected} filter={text.trim()} onDone={selection.clear} />
      </ListContent>
      {dialog}
      {pendingDelete && (
        <DeleteDialog
          resource={buildPortResource(ports, pendingDelete.id)}
          id={pendingDelete.id}
          name={pendingDelete.name}
          deleteWarning={DELETE_WARNING}
          onClose={() => setPendingDelete(undefined)}
        />
      )}
    </>
  )
}
