/** The end of a row of a change: the button that undoes it. */
import type { Change } from '../../api/contracts.ts'
import { usePermit } from '../../shell/me.ts'
import { undoing } from '../../shell/palette-state.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/primitives.tsx'
import { getUndoPermission } from '../labels.ts'

/** The button that undoes a change; a badge if it is undone already. */
export const UndoCell = ({ change }: { readonly change: Change }) => {
  const { may } = usePermit()
  if (change.undone_by !== null) return <Badge tone="idle">undone</Badge>
  if (!change.objects.every((object) => may(getUndoPermission(object)))) return null
  return <Button onClick={() => undoing.set(change.id)}>Undo</Button>
}
