/** The columns of the list of changes. */

import type { Change } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { undoing } from '../shell/palette-state.ts'
import type { Column } from '../table/column.ts'
import { Button } from '../ui/button.tsx'
import { formatExactMoment } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { ChangeSentence } from './change-sentence.tsx'
import css from './history.module.css'
import { formatActor, getUndoPermission } from './labels.ts'

/** The button that undoes a change; a badge if it is undone already. */
export const UndoCell = ({ change }: { readonly change: Change }) => {
  const { may } = usePermit()
  if (change.undone_by !== null) return <Badge tone="idle">undone</Badge>
  if (!change.objects.every((object) => may(getUndoPermission(object)))) return null
  return <Button onClick={() => undoing.set(change.id)}>Undo</Button>
}

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
  { id: 'undo', text: 'Undo', width: 90, isHeadHidden: true, cell: (change) => <UndoCell change={change} /> },
]
