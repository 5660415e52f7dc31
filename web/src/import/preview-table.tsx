/** The rows as they will be sent, and beside each its errors. */
import { useMemo, useState } from 'react'
import { formatCell } from '../../../src/base/csv/cells.ts'
import { getCustomValue, isCustomColumn } from '../../../src/base/csv/custom-columns.ts'
import { getRowName, type ImportRow } from '../export/fields.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { TableSpec } from '../table/engine.ts'
import tableCss from '../table/table.module.css'
import { useLocalView } from '../table/view.ts'
import { Badge } from '../ui/primitives.tsx'
import type { Source } from './read.ts'

export type Verdict = { readonly tone: keyof typeof LABELS | 'ok' | 'idle'; readonly text: string }

/** Verdicts that stand beside a badge. */
const LABELS = { warn: 'look at', bad: 'refused', info: 'change' } as const

export type PreviewRow = {
  /** The line in which the row begins, the number of a row in a workbook, or its place in JSON. */
  readonly number: number
  readonly verdict: Verdict
  readonly row: ImportRow
}

const SPEC: TableSpec<PreviewRow> = {
  id: ({ number }) => String(number),
  text: ({ row }) => getRowName(row),
  sorts: { number: ({ number }) => number, verdict: ({ verdict }) => `${verdict.tone} ${verdict.text}` },
  fields: {},
  facets: {},
}

const buildFirstColumns = (unit: Source['unit']): readonly Column<PreviewRow>[] => [
  {
    id: 'number',
    text: unit === 'row' ? 'Row' : 'Line',
    width: 96,
    isSortable: true,
    isEssential: true,
    cell: ({ number }) => <span className="num">{number}</span>,
  },
  {
    id: 'verdict',
    text: 'Result',
    width: 330,
    isSortable: true,
    isEssential: true,
    cell: ({ verdict: { tone, text } }) =>
      tone === 'ok' || tone === 'idle' ? (
        <Badge tone={tone}>{text}</Badge>
      ) : (
        <span title={text}>
          <Badge tone={tone}>{LABELS[tone]}</Badge> {text}
        </span>
      ),
  },
]

const getFieldValue = (row: ImportRow, field: string): unknown =>
  isCustomColumn(field) ? getCustomValue(row, field) : row[field]

const buildFieldColumn = (field: string): Column<PreviewRow> => ({
  id: `field ${field}`,
  text: field,
  width: 160,
  isEssential: field === 'name',
  cell: ({ row }) => (
    <span className="mono">
      {field === 'addresses' ? formatAddresses(row[field]) : formatCell(getFieldValue(row, field))}
    </span>
  ),
})

const formatAddresses = (value: unknown): string =>
  Array.isArray(value)
    ? value
        .map((one) => (typeof one === 'object' && one !== null && 'ip' in one ? String(one.ip) : String(one)))
        .join(', ')
    : formatCell(value)

type Props = {
  readonly rows: readonly PreviewRow[]
  readonly fields: readonly string[]
  readonly unit: Source['unit']
}

export const PreviewTable = ({ rows, fields, unit }: Props) => {
  const [sort, setSort] = useState({ sort: 'number', isDescending: false })
  const columns = useMemo(() => [...buildFirstColumns(unit), ...fields.map(buildFieldColumn)], [fields, unit])
  const view = useLocalView(rows, SPEC, { q: '', ...sort })
  return (
    <div className={tableCss.wrap}>
      <DataTable
        label="Rows to import"
        columns={columns}
        view={view}
        sorting={sort}
        onSort={(column) =>
          setSort((old) => ({ sort: column, isDescending: old.sort === column && !old.isDescending }))
        }
        getId={SPEC.id}
        getName={({ row }) => getRowName(row)}
      />
    </div>
  )
}
