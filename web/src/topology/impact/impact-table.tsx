/** The affected devices as a table. */

import { toSortKey } from '../../../../src/net/name-order.ts'
import type { Column } from '../../table/column.ts'
import { DataTable } from '../../table/data-table.tsx'
import type { TableSpec } from '../../table/engine.ts'
import { useSorting } from '../../table/list-search.ts'
import tableCss from '../../table/table.module.css'
import { useLocalView } from '../../table/view.ts'
import { RowLink } from '../../ui/row-link.tsx'
import type { EffectRow } from './effects.ts'
import { EffectBadge } from './impact-panel.tsx'
import { EFFECT_TEXTS } from './signs.ts'

const SPEC: TableSpec<EffectRow> = {
  id: ({ id }) => id,
  text: ({ name }) => name,
  sorts: {
    name: ({ name }) => toSortKey(name),
    effect: ({ effect }) => EFFECT_TEXTS[effect],
    depth: ({ depth }) => depth,
    because: ({ because }) => because,
  },
  fields: {},
  facets: {},
}

const COLUMNS: readonly Column<EffectRow>[] = [
  {
    id: 'name',
    text: 'Device',
    width: 220,
    isSortable: true,
    isEssential: true,
    cell: ({ id, name }) => (
      <RowLink to="devices" id={id}>
        {name}
      </RowLink>
    ),
  },
  {
    id: 'effect',
    text: 'Effect',
    width: 150,
    isSortable: true,
    isEssential: true,
    cell: ({ effect }) => <EffectBadge effect={effect} />,
  },
  { id: 'depth', text: 'Steps', width: 90, isSortable: true, cell: ({ depth }) => depth },
  { id: 'because', text: 'Because', width: 320, isSortable: true, cell: ({ because }) => because },
]

type Props = { readonly rows: readonly EffectRow[]; readonly onOpen: (id: string) => void }

export const ImpactTable = ({ rows, onOpen }: Props) => {
  const { sort, isDescending, onSort } = useSorting('depth')
  const view = useLocalView(rows, SPEC, { q: '', sort, isDescending })
  return (
    <div className={tableCss.wrap}>
      <DataTable
        label="Affected devices"
        columns={COLUMNS}
        view={view}
        sorting={{ sort, isDescending }}
        onSort={onSort}
        getId={SPEC.id}
        getName={({ name }) => name}
        actions={{ open: ({ id }) => onOpen(id) }}
      />
    </div>
  )
}
