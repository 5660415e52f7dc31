/** The column of a time, by which a list can be sorted. */
import { TimeAgo } from '../ui/primitives.tsx'
import type { Column } from './column.ts'

type TimeColumn<Row> = Pick<Column<Row>, 'id' | 'text' | 'width' | 'isNewestFirst'> & {
  readonly at: (row: Row) => string | null
  /** Shown without a time. */
  readonly never?: string
}

export const buildTimeColumn = <Row,>({ at, never = 'never', ...column }: TimeColumn<Row>): Column<Row> => ({
  ...column,
  isSortable: true,
  toText: (row) => at(row) ?? '',
  cell: (row) => {
    const time = at(row)
    return time === null ? <span className="muted">{never}</span> : <TimeAgo at={time} />
  },
})
