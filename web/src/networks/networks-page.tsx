/** All networks: as they lie in each other with the gaps between them, or as a flat list. */

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useAddressDialog } from '../addresses/use-address-dialog.tsx'
import type { Network } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { useStore } from '../api/store.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { useActiveConflicts } from '../conflicts/active-mark.tsx'
import { useCustom } from '../custom-fields/known-custom.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { DeleteDialog } from '../resource/object/delete-dialog.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { buildActionsColumn } from '../resource/row-menu.tsx'
import { findPlaceTest } from '../resource/tree/place-test.ts'
import { useLabelControl } from '../scanners/label-control.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { useIsInUse, usePermit } from '../shell/me.ts'
import { type Hint, Hints, PageHead } from '../shell/page.tsx'
import { DEFAULT } from '../spaces/known-control.ts'
import { useSpaceChoice } from '../spaces/known-spaces.tsx'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { ListContent } from '../table/list-content.tsx'
import { usePageSearch, useSorting } from '../table/list-search.ts'
import css from '../table/table.module.css'
import { listRows, useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { MenuItem } from '../ui/menu.tsx'
import { ViewsMenu } from '../views/views-menu.tsx'
import { useVlanNames } from '../vlans/queries.ts'
import { buildVlanControl } from '../vlans/vlan-field.tsx'
import { buildNetworkColumns, NETWORK_DEFAULT_COLUMNS, WITH_SCANNER } from './columns.tsx'
import own from './networks.module.css'
import { NetworksMenu } from './networks-menu.tsx'
import { type Planned, PlanningDialog } from './planning/planning.tsx'
import { buildResizeControl } from './planning/resize-field.tsx'
import { buildNetworkResource, buildNetworkSpec, toNetworkFilter } from './resource.ts'
import { findAround, type Gap, listBlocks, type TreeRow } from './tree.ts'
import { TreeTable } from './tree-table.tsx'
import { hasFreeSpace } from './use-expanded.ts'

const HINTS: readonly Hint[] = [
  [['j', 'k'], 'move'],
  [['←', '→'], 'fold'],
  [['↵'], 'open'],
  [['a'], 'allocate'],
  [['s'], 'split'],
  [['e'], 'edit'],
  [['f'], 'next free address'],
  [['c'], 'create'],
]

const MERGE_HINTS: readonly Hint[] = [
  [['x'], 'select'],
  [['m'], 'merge'],
]
const LAST_HINT: Hint = [['?'], 'all shortcuts']

const NONE: readonly Network[] = []
const getName = ({ name }: Network): string => name

export const NetworksPage = () => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  useActiveConflicts()
  const query = useQuery(networksQuery)
  const { data: datacenters = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting('subnet')
  const names = useMemo(() => new Map(datacenters.map(({ id, name }) => [id, name])), [datacenters])
  const vlans = useVlanNames()
  const custom = useCustom('networks')
  const spec = useMemo(() => {
    const own = buildNetworkSpec(names, vlans, findPlaceTest(datacenters))
    return custom?.extend(own) ?? own
  }, [names, vlans, custom, datacenters])
  const { spaces, space, holds, given, control } = useSpaceChoice()
  const scanner = useLabelControl()
  const all = query.data ?? NONE
  const resource = useMemo(
    () =>
      buildNetworkResource({
        spaces,
        vlan: vlans && buildVlanControl(vlans),
        subnet: buildResizeControl(all, search.edit),
        scanner,
      }),
    [spaces, vlans, all, search.edit, scanner],
  )
  const rows = useMemo(() => all.filter(holds), [all, holds])
  const groups = useMemo(
    () =>
      spaces.length > 0 && space === undefined ? [{ id: undefined, name: 'Default space' }, ...spaces] : undefined,
    [spaces, space],
  )
  const view = useLocalView(rows, spec, { q: toNetworkFilter(text), sort, isDescending })
  const [pendingDelete, setPendingDelete] = useState<Network>()
  const [planned, setPlanned] = useState<Planned>()
  const [marked, setMarked] = useState<string>()
  const hasGaps = useStore(hasFreeSpace)
  const isNested = rows.some((one) => one.utilization?.children !== undefined)
  const mayMerge = isNested && may('networks:update') && may('networks:delete')
  const merge = (networks: readonly Network[], onMerged: () => void) =>
    setPlanned({ kind: 'merge', networks, onMerged })
  const allocate = (network: Network) => setPlanned({ kind: 'allocate', network })
  const use = ({ parent, range }: Gap) => setPlanned({ kind: 'allocate', network: parent, blocks: listBlocks(range) })
  const split = (network: Network) => setPlanned({ kind: 'split', network })
  const addresses = useAddressDialog()
  const giveNext = ({ id }: Network) => addresses.open({ kind: 'network', id })
  const mayCreate = may('networks:create')
  const noSplit = ['networks:create', 'networks:update'].find((permission) => !may(permission))
  // A filter asks for networks wherever they lie.
  const isTree = search.view !== 'flat' && text.trim() === ''
  // A new network is in the space that is shown.
  const create = () => void set({ new: '1', into: given.space_id === DEFAULT ? undefined : given.space_id })
  const createInside = ({ subnet, space_id }: Network) => void set({ new: '1', subnet, into: space_id })
  const createAt = (row: TreeRow | undefined) => {
    if (!row) create()
    else if (row.kind === 'network') createInside(row.network)
    else if (row.kind === 'gap') void set({ new: '1', subnet: listBlocks(row.range)[0], into: row.parent.space_id })
    else void set({ new: '1', into: row.spaceId })
  }
  // The tree has the key for its current row.
  useHotkeys({ ...(mayCreate && !(isTree && view.count > 0) ? { c: create } : {}), Escape: () => setText('') })
  const actions = {
    open: ({ id }: Network) => void navigate({ to: '/networks/$id', params: { id } }),
    edit: may('networks:update') ? ({ id }: Network) => void set({ edit: id }) : undefined,
    remove: may('networks:delete') ? setPendingDelete : undefined,
    keys: {
      ...(addresses.blocked === undefined && { f: giveNext }),
      ...(mayCreate && { a: allocate }),
      ...(noSplit === undefined && { s: split }),
    },
  }
  const show = (wanted: 'tree' | 'flat') =>
    void set({ view: wanted === 'flat' ? 'flat' : undefined }, { isReplace: true })
  const needs = (permission: string) => (may(permission) ? undefined : permission)
  const renderMenu = (network: Network) => (
    <>
      <MenuItem onSelect={() => giveNext(network)} blocked={addresses.blocked}>
        Next free address<kbd>f</kbd>
      </MenuItem>
      <MenuItem onSelect={() => allocate(network)} blocked={needs('networks:create')}>
        Allocate a subnet…<kbd>a</kbd>
      </MenuItem>
      <MenuItem onSelect={() => split(network)} blocked={noSplit}>
        Split…<kbd>s</kbd>
      </MenuItem>
      <MenuItem
        onSelect={() => void navigate({ to: '/networks/$id', params: { id: network.id }, search: { new: 'scan' } })}
        blocked={needs('discovery:create')}
      >
        Scan
      </MenuItem>
      <MenuItem onSelect={() => createInside(network)} blocked={needs('networks:create')}>
        New network inside<kbd>c</kbd>
      </MenuItem>
    </>
  )
  const [noUpdate, noDelete] = ['networks:update', 'networks:delete'].map(needs)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions stay the same
  const columns = useMemo(
    () => [
      ...buildNetworkColumns(names, vlans, custom?.columns),
      buildActionsColumn<Network>({
        noun: resource.noun,
        getName,
        open: actions.open,
        edit: { run: ({ id }) => void set({ edit: id }), blocked: () => noUpdate },
        remove: { run: setPendingDelete, blocked: () => noDelete },
        more: renderMenu,
      }),
    ],
    [names, vlans, custom, noUpdate, noDelete],
  )
  const choice = useColumns('Networks', columns, useIsInUse('scanners') ? WITH_SCANNER : NETWORK_DEFAULT_COLUMNS)
  return (
    <>
      <PageHead>
        <Button look="primary" onClick={create} blocked={blocked('networks:create')}>
          <Plus size={15} aria-hidden="true" />
          New network
        </Button>
        <NetworksMenu />
      </PageHead>
      <FilterBar
        text={text}
        onChange={setText}
        placeholder="Subnet, name or VLAN; an IP finds its networks"
        fields={Object.keys(spec.fields)}
        loadFacets={view.facets}
        noun="network"
        shown={query.data ? view.count : undefined}
        total={query.data ? view.total : undefined}
      >
        <fieldset className={own.switch}>
          <legend className="sr">How networks are shown</legend>
          <button type="button" aria-pressed={search.view !== 'flat'} onClick={() => show('tree')}>
            Tree
          </button>
          <button type="button" aria-pressed={search.view === 'flat'} onClick={() => show('flat')}>
            Flat
          </button>
        </fieldset>
        {isTree && (
          <Button className={own.toggle} aria-pressed={hasGaps} onClick={() => hasFreeSpace.set(!hasGaps)}>
            Free space
          </Button>
        )}
        {control}
        <span className={css.end}>
          <ViewsMenu /> <CommandMenu getCall={() => ({ list: resource.operations, q: text, given })} />{' '}
          <ExportMenu name="networks" count={view.count} columns={choice.columns} load={async () => listRows(view)} />{' '}
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      <ListContent
        view={query.data && view}
        error={query.error}
        refetch={query.refetch}
        columns={choice.columns}
        filter={text}
        onClear={() => setText('')}
        noun="networks"
        empty={{
          title: space === undefined ? 'No networks yet' : 'No networks in this address space',
          text: 'A network is a block of addresses, such as 10.0.0.0/16. It may contain others.',
          actions: mayCreate && (
            <Button look="primary" onClick={create}>
              New network
            </Button>
          ),
        }}
        table={
          isTree ? (
            <TreeTable
              networks={rows}
              columns={choice.columns}
              actions={actions}
              marked={marked}
              onMerge={mayMerge ? merge : undefined}
              onUse={mayCreate ? use : undefined}
              onCreate={mayCreate ? createAt : undefined}
              spaces={groups}
            />
          ) : (
            <DataTable
              label="Networks"
              columns={choice.columns}
              view={view}
              sorting={{ sort, isDescending }}
              onSort={onSort}
              getId={spec.id}
              getName={getName}
              actions={actions}
            />
          )
        }
      />
      <Hints hints={[...HINTS, ...(mayMerge ? MERGE_HINTS : []), LAST_HINT]} />
      {addresses.dialog}
      {planned && <PlanningDialog planned={planned} onClose={() => setPlanned(undefined)} onMark={setMarked} />}
      {(search.new !== undefined || search.edit !== undefined) && (
        <ResourceDrawer
          key={search.edit ?? 'new'}
          resource={resource}
          id={search.edit}
          {...(search.subnet === undefined && search.into === undefined
            ? {}
            : {
                given: {
                  subnet: search.subnet ?? '',
                  space_id: search.into ?? '',
                  datacenter_id: findAround(all, search.subnet ?? '', search.into)?.datacenter_id ?? '',
                },
              })}
          onClose={() => void set({ new: undefined, edit: undefined, subnet: undefined, into: undefined })}
        />
      )}
      {pendingDelete && (
        <DeleteDialog
          resource={resource}
          id={pendingDelete.id}
          name={pendingDelete.name}
          deleteWarning="Its pools and reservations are deleted too. The addresses of devices stay, without a network."
          onClose={() => setPendingDelete(undefined)}
        />
      )}
    </>
  )
}
