/** The plan of an import: each change with its fields, and each row that is refused. */

import { useMemo, useState } from 'react'
import type { ApplyResult } from '../../../src/exchange/estate/api.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import tableCss from '../table/table.module.css'
import { useLocalView } from '../table/view.ts'
import { Badge, type Tone } from '../ui/primitives.tsx'

type PlanRow = {
  readonly id: string
  readonly action: keyof typeof TONES
  readonly resource: string
  readonly name: string
  readonly text: string
}

const TONES = { refused: 'bad', delete: 'warn', update: 'info', create: 'ok' } as const satisfies Record<string, Tone>

const formatValue = (value: unknown): string => (typeof value === 'string' ? value || '“”' : JSON.stringify(value))

/** @example changeText({ os: { from: 'Debian 12', to: 'Debian 13' } }) // 'os: Debian 12 → Debian 13' */
export const changeText = (fields: Readonly<Record<string, { from?: unknown; to?: unknown }>>): string =>
  Object.entries(fields)
    .map(([field, { from, to }]) => `${field}: ${formatValue(from)} → ${formatValue(to)}`)
    .join('; ')

/** Refused rows stand first. */
export const planRows = ({ changes, errors }: ApplyResult): PlanRow[] => [
  ...errors.map(({ resource, row, name, error, details }, at) => ({
    id: `error ${at}`,
    action: 'refused' as const,
    resource,
    name: name || `row ${row + 1}`,
    text: details.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ') || error,
  })),
  ...changes.map(({ action, resource, name, fields = {}, managed_by }, at) => ({
    id: `change ${at}`,
    action,
    resource,
    name,
    text: action === 'update' ? changeText({ ...fields, ...(managed_by && { managed_by }) }) : '',
  })),
]

const SPEC: TableSpec<PlanRow> = {
  id: ({ id }) => id,
  text: ({ name, text }) => `${name}\n${text}`,
  sorts: {
    action: ({ action }) => Object.keys(TONES).indexOf(action),
    resource: ({ resource }) => resource,
    name: ({ name }) => toSortKey(name),
  },
  fields: {},
  facets: {},
}

const COLUMNS: readonly Column<PlanRow>[] = [
  {
    id: 'action',
    text: 'Change',
    width: 110,
    isSortable: true,
    isEssential: true,
    cell: ({ action }) => <Badge tone={TONES[action]}>{action}</Badge>,
  },
  { id: 'resource', text: 'Resource', width: 130, isSortable: true, cell: ({ resource }) => resource },
  { id: 'name', text: 'Name', width: 260, isSortable: true, isEssential: true, cell: ({ name }) => name },
  {
    id: 'text',
    text: 'Fields',
    width: 620,
    isEssential: true,
    cell: ({ text }) => (
      <span className="truncate" title={text}>
        {text}
      </span>
    ),
  },
]

export const PlanTable = ({ plan }: { readonly plan: ApplyResult }) => {
  const [sort, setSort] = useState({ sort: 'action', isDescending: false })
  const rows = useMemo(() => planRows(plan), [plan])
  const view = useLocalView(rows, SPEC, { q: '', ...sort })
  return (
    <div className={tableCss.wrap}>
      <DataTable
        label="Plan"
        columns={COLUMNS}
        view={view}
        sorting={sort}
        onSort={(column) =>
          setSort((old) => ({ sort: column, isDescending: old.sort === column && !old.isDescending }))
        }
        getId={SPEC.id}
        getName={({ name }) => name}
      />
    </div>
  )
}
