/** The tree of networks as a table whose rows unfold. */
import { useMemo } from 'react'
import type { Network } from '../api/contracts.ts'
import { DataTable } from '../table/data-table.tsx'
import type { RowActions } from '../table/use-cursor.ts'
import type { VlanNames } from '../vlans/names.ts'
import { type Fill, treeColumns } from './columns.tsx'
import { networkTree, rowsOfSpaces, spaceRowId, type TreeRow, type TreeSpace, treeRows } from './tree.ts'
import { useExpanded } from './use-expanded.ts'

type Props = {
  readonly networks: readonly Network[]
  readonly names: ReadonlyMap<string, string>
  readonly vlans: VlanNames | undefined
  readonly isShown: (column: string) => boolean
  readonly actions: RowActions<Network>
  readonly onFill: Fill | undefined
  /** The spaces that the networks are grouped by; undefined for one. */
  readonly spaces: readonly TreeSpace[] | undefined
}

/** The order of the tree is that of the addresses. */
const SORTING = { sort: '', isDescending: false }
const noSort = () => {}
const idOf = ({ id }: TreeRow): string => id
const nameOf = (row: TreeRow): string =>
  row.kind === 'gap' ? row.subnet : row.kind === 'space' ? row.name : row.network.name

export const TreeTable = ({ networks, names, vlans, isShown, actions, onFill, spaces }: Props) => {
  const nodes = useMemo(() => networkTree(networks), [networks])
  const expanded = useExpanded([
    ...(spaces ?? []).map(({ id }) => spaceRowId(id)),
    ...nodes.map(({ network }) => network.id),
  ])
  const shown = { isExpanded: expanded.isExpanded, hasGaps: true }
  const rows = spaces ? rowsOfSpaces(nodes, spaces, shown) : treeRows(nodes, shown)
  const onToggle = (row: TreeRow, isExpanded: boolean) => expanded.set([row.id], isExpanded)
  const columns = treeColumns(names, { vlans, onToggle, onFill }).filter(({ id }) => isShown(id))
  const ofNetwork = (action: ((network: Network) => void) | undefined) =>
    action && ((row: TreeRow) => (row.kind === 'network' ? action(row.network) : undefined))
  return (
    <DataTable
      label="Networks"
      columns={columns}
      view={{
        count: rows.length,
        total: networks.length,
        rowAt: (position) => rows[position],
        idsOf: async (from, to) => rows.slice(from, to).map(idOf),
        ensure: () => {},
      }}
      sorting={SORTING}
      onSort={noSort}
      idOf={idOf}
      nameOf={nameOf}
      tree={{
        levelOf: ({ level }) => level,
        isExpanded: (row) => (row.kind === 'gap' ? undefined : row.isExpanded),
        toggle: onToggle,
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
      }}
    />
  )
}
