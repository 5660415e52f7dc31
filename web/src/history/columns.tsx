/** The columns of the list of changes. */

import type { Change } from '../api/contracts.ts'
import type { Column } from '../table/column.ts'
import { formatExactMoment } from '../ui/format.ts'
import { RowLink } from '../ui/row-link.tsx'
import css from './history.module.css'
import { formatActor } from './labels.ts'
import { ChangeSentence } from './sentences/change-sentence.tsx'
import { UndoCell } from './sentences/undo-cell.tsx'

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
    width: 560,
    isEssential: true,
    cell: (change) => <ChangeSentence change={change} />,
  },
  { id: 'note', text: 'Note', width: 220, cell: ({ note }) => <span title={note}>{note}</span> },
  { id: 'undo', text: 'Undo', width: 110, isHeadHidden: true, cell: (change) => <UndoCell change={change} /> },
]
