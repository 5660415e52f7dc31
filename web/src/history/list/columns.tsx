/** The columns of the list of changes. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import type { Column } from '../../table/column.ts'
import { formatExactMoment } from '../../ui/format.ts'
import { RowLink } from '../../ui/row-link.tsx'
import css from '../history.module.css'
import { formatActor, formatWhen } from '../labels.ts'
import { ChangeSentence, FoldSentence } from '../sentences/change-sentence.tsx'
import { UndoCell } from '../sentences/undo-cell.tsx'
import type { HistoryRow } from './folds.ts'

const When = ({ at }: { readonly at: string }) => (
  <>
    <span className={css.exact}>{formatExactMoment(at)}</span>
    <time className={css.short} dateTime={at}>
      {formatWhen(at)}
    </time>
  </>
)

type Tools = {
  readonly onToggle: (row: HistoryRow, isExpanded: boolean) => void
  readonly onUndo: (row: HistoryRow) => void
}

const Time = ({ row, onToggle }: { readonly row: HistoryRow } & Pick<Tools, 'onToggle'>) => {
  const { changes, level, isExpanded } = row
  const [{ id, at }] = changes
  if (isExpanded === undefined)
    return (
      <span className={css.time} data-level={level}>
        <RowLink to="history" id={id} className="mono">
          <When at={at} />
        </RowLink>
      </span>
    )
  const Icon = isExpanded ? ChevronDown : ChevronRight
  return (
    <button
      type="button"
      className={css.fold}
      tabIndex={-1}
      aria-label={`${isExpanded ? 'Fold' : 'Unfold'} ${changes.length} changes of ${formatExactMoment(at)}`}
      onClick={() => onToggle(row, !isExpanded)}
    >
      <Icon size={15} aria-hidden="true" />
      <span className="mono">
        <When at={at} />
      </span>
    </button>
  )
}

export const buildChangeColumns = ({ onToggle, onUndo }: Tools): readonly Column<HistoryRow>[] => [
  { id: 'time', text: 'Time', width: 215, isEssential: true, cell: (row) => <Time row={row} onToggle={onToggle} /> },
  { id: 'user', text: 'User', width: 130, cell: ({ changes: [change] }) => formatActor(change) },
  {
    id: 'change',
    text: 'Change',
    width: 530,
    isEssential: true,
    cell: ({ changes }) =>
      changes.length === 1 ? <ChangeSentence change={changes[0]} /> : <FoldSentence changes={changes} />,
  },
  {
    id: 'note',
    text: 'Note',
    width: 220,
    cell: ({ changes: [{ note }, ...others] }) =>
      others.every((other) => other.note === note) ? <span title={note}>{note}</span> : null,
  },
  {
    id: 'undo',
    text: 'Undo',
    width: 92,
    isHeadHidden: true,
    isEssential: true,
    cell: (row) => (
      <span className={css.end}>
        <UndoCell changes={row.changes} onUndo={() => onUndo(row)} />
      </span>
    ),
  },
]
