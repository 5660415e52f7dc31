/** The tree of networks as a table with rows that unfold. */
import { useMemo } from 'react'
import type { Network } from '../api/contracts.ts'
import { useStore } from '../api/store.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import css from '../table/table.module.css'
import type { RowActions } from '../table/use-cursor.ts'
import { useSelection } from '../table/use-selection.ts'
import { Button } from '../ui/button.tsx'
import { buildTreeColumns } from './columns.tsx'
import {
  buildNetworkTree,
  buildSpaceRowId,
  formatRange,
  type Gap,
  listSpaceRows,
  listTreeRows,
  type TreeRow,
  type TreeSpace,
} from './tree.ts'
import { hasFreeSpace, setExpanded, useExpanded } from './use-expanded.ts'

type Props = {
  readonly networks: readonly Network[]
  readonly columns: readonly Column<Network>[]
  readonly actions: RowActions<Network>
  /** Opens the dialog that takes a subnet of a gap. */
  readonly onUse: ((gap: Gap) => void) | undefined
  /** Starts a network at the current row, if there is one. */
  readonly onCreate: ((row: TreeRow | undefined) => void) | undefined
  readonly marked: string | undefined
  /** Merges the selected networks; absent where no network can be selected. */
  readonly onMerge: ((networks: readonly Network[], clear: () => void) => void) | undefined
  /** The spaces that the networks are grouped by; undefined for one. */
  readonly spaces: readonly TreeSpace[] | undefined
}

/** The order of the tree is that of the addresses. */
const SORTING = { sort: '', isDescending: false }
const noSort = () => {}
const getId = ({ id }: TreeRow): string => id

const getName = (row: TreeRow): string =>
  row.kind === 'gap' ? formatRange(row.range) : row.kind === 'space' ? row.name : row.network.name

export const TreeTable = (props: Props) => {
  const { networks, actions, onUse, onCreate, marked, onMerge, spaces } = props
  const nodes = useMemo(() => buildNetworkTree(networks), [networks])
  const isExpanded = useExpanded([
    ...(spaces ?? []).map(({ id }) => buildSpaceRowId(id)),
    ...nodes.map(({ network }) => network.id),
  ])
  const shown = { isExpanded, hasGaps: useStore(hasFreeSpace) }
  const rows = spaces ? listSpaceRows(nodes, spaces, shown) : listTreeRows(nodes, shown)
  const onToggle = (row: TreeRow, isOpen: boolean) => setExpanded(row.id, isOpen)
  const columns = buildTreeColumns(props.columns, { onToggle, onUse, marked })
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
          isWide: ({ kind }) => kind === 'gap',
        }}
        actions={{
          open: (row) => {
            if (row.kind === 'gap') onUse?.(row)
            else if (row.kind === 'space') onToggle(row, !row.isExpanded)
            else actions.open?.(row.network)
          },
          edit: ofNetwork(actions.edit),
          remove: ofNetwork(actions.remove),
          create: onCreate,
          keys: {
            ...Object.fromEntries(
              Object.entries(actions.keys ?? {}).map(([key, action]) => [key, ofNetwork(action) ?? noSort]),
            ),
          },
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
