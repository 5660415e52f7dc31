/** The graph as a table. */

import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { DeviceRow } from '../devices/column-spec.ts'
import { StatusBadge } from '../devices/columns.tsx'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import { useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { useLocalView } from '../table/view.ts'
import { RowLink } from '../ui/row-link.tsx'
import { formatLevel, listTies, ROLE_TEXTS } from './labels.ts'
import { detectRole, type Role } from './role.ts'
import type { Placed } from './source.ts'

type NodeRow = {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly level: number
  readonly where: string
  readonly ties: string
  readonly device: DeviceRow | undefined
}

const SPEC: TableSpec<NodeRow> = {
  id: ({ id }) => id,
  text: ({ name }) => name,
  sorts: {
    name: ({ name }) => toSortKey(name),
    role: ({ role }) => role,
    where: ({ level }) => Math.abs(level) * 2 + (level < 0 ? 1 : 0),
    ties: ({ ties }) => ties,
  },
  fields: {},
  facets: {},
}

const COLUMNS: readonly Column<NodeRow>[] = [
  {
    id: 'name',
    text: 'Device',
    width: 190,
    isSortable: true,
    isEssential: true,
    cell: ({ id, name }) => (
      <RowLink to="devices" id={id}>
        {name}
      </RowLink>
    ),
  },
  { id: 'where', text: 'Where', width: 150, isSortable: true, isEssential: true, cell: ({ where }) => where },
  { id: 'role', text: 'Role', width: 150, isSortable: true, cell: ({ role }) => ROLE_TEXTS[role] },
  {
    id: 'ties',
    text: 'Related to',
    width: 380,
    isSortable: true,
    cell: ({ ties }) => ties,
  },
  {
    id: 'status',
    text: 'Status',
    width: 128,
    cell: ({ device }) => device && <StatusBadge status={device.status} />,
  },
  {
    id: 'graph',
    text: 'Graph',
    width: 80,
    cell: ({ id }) => (
      <Link
        to="/topology"
        search={(old: Record<string, unknown>) => ({ ...old, focus: id, tab: undefined })}
        tabIndex={-1}
      >
        Focus
      </Link>
    ),
  },
]

type Props = {
  readonly placed: Placed
  readonly rows: ReadonlyMap<string, DeviceRow>
  readonly onOpen: (id: string) => void
}

/** Without a device in the middle there are no distances. */
const SWITCH_COLUMNS = COLUMNS.filter(({ id }) => id !== 'where')

export const GraphTable = ({ placed: { graph, view }, rows, onOpen }: Props) => {
  const isOfSwitches = view === 'switches'
  const { sort, isDescending, onSort } = useSorting(isOfSwitches ? 'name' : 'where')
  const nodes = useMemo(() => {
    const getName = (node: number) => rows.get(graph.ids[node] ?? '')?.name ?? graph.ids[node] ?? ''
    return graph.ids.map((id, node): NodeRow => {
      const name = getName(node)
      return {
        id,
        name,
        role: detectRole({ name, tags: rows.get(id)?.tags ?? [] }),
        level: graph.levels[node] ?? 0,
        where: formatLevel(view, graph.levels[node] ?? 0),
        ties: listTies(graph, node)
          .map((tie) => `${tie.text} ${getName(tie.node)}${tie.ports === undefined ? '' : ` (${tie.ports})`}`)
          .join(', '),
        device: rows.get(id),
      }
    })
  }, [graph, view, rows])
  const table = useLocalView(nodes, SPEC, { q: '', sort, isDescending })
  return (
    <div className={tableCss.wrap}>
      <DataTable
        label="Devices of the graph"
        columns={isOfSwitches ? SWITCH_COLUMNS : COLUMNS}
        view={table}
        sorting={{ sort, isDescending }}
        onSort={onSort}
        getId={SPEC.id}
        getName={({ name }) => name}
        actions={{ open: ({ id }) => onOpen(id) }}
      />
    </div>
  )
}
