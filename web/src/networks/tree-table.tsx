/** The tree of networks as a table with rows that unfold. */
import { Ellipsis } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { Network } from '../api/contracts.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import css from '../table/table.module.css'
import type { RowActions } from '../table/use-cursor.ts'
import { useSelection } from '../table/use-selection.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import type { VlanNames } from '../vlans/names.ts'
import { buildNetworkColumns, buildTreeColumns, type Fill, type NetworkColumns } from './columns.tsx'
import { buildNetworkTree, buildSpaceRowId, listSpaceRows, listTreeRows, type TreeRow, type TreeSpace } from './tree.ts'
import { useExpanded } from './use-expanded.ts'

type Props = {
  readonly networks: readonly Network[]
  readonly names: ReadonlyMap<string, string>
  readonly vlans: VlanNames | undefined
  readonly custom: NetworkColumns
  readonly isShown: (column: string) => boolean
  readonly actions: RowActions<Network>
  readonly onFill: Fill | undefined
  readonly marked: string | undefined
  /** Further items of the menu of a network, where some network has others in it. */
  readonly menu: ((network: Network) => ReactNode) | undefined
  /** Merges the selected networks; absent where no network can be selected. */
  readonly onMerge: ((networks: readonly Network[], clear: () => void) => void) | undefined
  /** The spaces that the networks are grouped by; undefined for one. */
  readonly spaces: readonly TreeSpace[] | undefined
}

/** The order of the tree is that of the addresses. */
const SORTING = { sort: '', isDescending: false }
const noSort = () => {}
const getId = ({ id }: TreeRow): string => id

const buildMenuColumn = (menu: (network: Network) => ReactNode): Column<TreeRow> => ({
  id: 'actions',
  text: '',
  width: 64,
  isRight: true,
  isEssential: true,
  cell: (row) => row.kind === 'network' && <PlanningMenu name={row.network.name}>{menu(row.network)}</PlanningMenu>,
})

const PlanningMenu = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <Menu
    trigger={
      // Not reached by Tab, as nothing in a row is. Keys do the same.
      <Button isIcon look="quiet" tabIndex={-1} aria-label={`Plan ${name}`}>
        <Ellipsis size={16} aria-hidden="true" />
      </Button>
    }
  >
    {children}
  </Menu>
)

const getName = (row: TreeRow): string =>
  row.kind === 'gap' ? row.subnet : row.kind === 'space' ? row.name : row.network.name

export const TreeTable = ({
  networks,
  names,
  vlans,
  custom,
  isShown,
  actions,
  onFill,
  marked,
  menu,
  onMerge,
  spaces,
}: Props) => {
  const nodes = useMemo(() => buildNetworkTree(networks), [networks])
  const expanded = useExpanded([
    ...(spaces ?? []).map(({ id }) => buildSpaceRowId(id)),
    ...nodes.map(({ network }) => network.id),
  ])
  const shown = { isExpanded: expanded.isExpanded, hasGaps: true }
  const rows = spaces ? listSpaceRows(nodes, spaces, shown) : listTreeRows(nodes, shown)
  const onToggle = (row: TreeRow, isExpanded: boolean) => expanded.set([row.id], isExpanded)
  const own = buildTreeColumns(buildNetworkColumns(names, vlans, custom), { onToggle, onFill, marked }).filter(
    ({ id }) => isShown(id),
  )
  const columns = menu ? [...own, buildMenuColumn(menu)] : own
  const ofNetwork = (action: ((network: Network) => void) | undefined) =>
    action && ((row: TreeRow) => (row.kind === 'network' ? action(row.network) : undefined))
  const view = {
    count: rows.length,
    total: networks.length,
    rowAt: (position: number) => rows[position],
    // A gap is not selected.
    idsOf: async (from: number, to: number) =>
      rows
        .slice(from, to)
        .filter(({ kind }) => kind === 'network')
        .map(getId),
    ensure: () => {},
  }
  const selection = useSelection(view)
  const selected = networks.filter(({ id }) => selection.ids.has(id))
  const merge = onMerge && selected.length > 1 ? () => onMerge(selected, selection.clear) : undefined
  useHotkeys(merge ? { m: merge } : {})
  return (
    <>
      <DataTable
        label="Networks"
        columns={columns}
        view={view}
        selection={onMerge && selection}
        sorting={SORTING}
        onSort={noSort}
        getId={getId}
        getName={getName}
        tree={{
          getLevel: ({ level }) => level,
          isExpanded: (row) => (row.kind === 'gap' ? undefined : row.isExpanded),
          toggle: onToggle,
          isSelectable: ({ kind }) => kind === 'network',
        }}
        actions={{
          // A gap is opened by filling it.
          open: (row) => {
            if (row.kind === 'gap') onFill?.(row.subnet, row.parent)
            else if (row.kind === 'space') onToggle(row, !row.isExpanded)
            else actions.open?.(row.network)
          },
          edit: ofNetwork(actions.edit),
          remove: ofNetwork(actions.remove),
          keys: Object.fromEntries(
            Object.entries(actions.keys ?? {}).map(([key, action]) => [key, ofNetwork(action) ?? noSort]),
          ),
        }}
      />
      {merge && (
        <div className={css.bulk} role="toolbar" aria-label="Selected networks">
          <span>{selected.length} selected</span>
          <Button onClick={merge}>
            Merge…<kbd>m</kbd>
          </Button>
          <Button look="quiet" onClick={selection.clear}>
            Clear
          </Button>
        </div>
      )}
    </>
  )
}
