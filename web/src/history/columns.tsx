/** The columns of the list of changes. */

import type { Change } from '../api/contracts.ts'
import type { Column } from '../table/column.ts'
import { formatExactMoment } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import css from './history.module.css'
import { formatActor, formatProgram } from './labels.ts'

const State = ({ change: { undone_by, undoes } }: { readonly change: Change }) => (
  <>
    {undoes !== null && <Badge tone="info">undo</Badge>}
    {undone_by !== null && <Badge tone="idle">undone</Badge>}
  </>
)

/** A phone has no room for the year and the seconds. */
const When = ({ at }: { readonly at: string }) => (
  <>
    <span className={css.year}>{formatExactMoment(at).slice(0, 5)}</span>
    {formatExactMoment(at).slice(5, 16)}
    <span className={css.year}>{formatExactMoment(at).slice(16)}</span>
  </>
)

export const CHANGE_COLUMNS: readonly Column<Change>[] = [
  {
    id: 'time',
    text: 'Time',
    width: 170,
    isEssential: true,
    cell: ({ id, at }) => (
      <RowLink to="history" id={id} className="mono">
        <When at={at} />
      </RowLink>
    ),
  },
  { id: 'user', text: 'User', width: 130, cell: (change) => formatActor(change) },
  {
    id: 'change',
    text: 'Change',
    width: 360,
    isEssential: true,
    cell: ({ summary }) => <span title={summary}>{summary}</span>,
  },
  { id: 'state', text: 'Undo', width: 110, cell: (change) => <State change={change} /> },
  { id: 'with', text: 'With', width: 170, cell: (change) => formatProgram(change) },
  {
    id: 'operation',
    text: 'Operation',
    width: 190,
    cell: ({ operation }) => <span className="mono">{operation}</span>,
  },
  { id: 'note', text: 'Note', width: 260, cell: ({ note }) => <span title={note}>{note}</span> },
]
