/** The end of a row of changes: the button that undoes them. */
import type { Change } from '../../api/contracts.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/primitives.tsx'
import { getUndoPermission } from '../labels.ts'

type Props = { readonly changes: readonly Change[]; readonly onUndo: () => void }

/** The button that undoes changes; a badge if all are undone already. */
export const UndoCell = ({ changes, onUndo }: Props) => {
  const { may, mayNow } = usePermit()
  // A proposal takes one undo alone.
  const mayUndo = changes.length === 1 ? may : mayNow
  if (changes.every(({ undone_by }) => undone_by !== null)) return <Badge tone="idle">undone</Badge>
  if (!changes.every(({ objects }) => objects.every((object) => mayUndo(getUndoPermission(object))))) return null
  return <Button onClick={onUndo}>Undo</Button>
}
