/** Undoes changes without a question, for the button of a toast, and refreshes the pages. */
import type { Change } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'
import { queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { undoing } from '../shell/palette-state.ts'
import { toast, toastError } from '../ui/toast.tsx'
import { withCapital } from './labels.ts'
import { UNDO_PREVIEW, undoChange } from './queries.ts'

/** Requests everything again, because an undo may have changed objects of any kind. */
export const refreshAll = (): void => {
  // The preview of an undo that was made would be refused.
  void queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== UNDO_PREVIEW })
  if (devices.state.get().status !== 'idle') devices.load()
}

export const reportUndone = ({ id, summary }: Change): void =>
  toast('Undone', { description: `${withCapital(summary)}.`, undo: () => void undoNow([id]) })

/** @param ids in the order of the changes, of which the newest is undone first */
export const undoNow = async (ids: readonly string[]): Promise<void> => {
  for (const id of ids.toReversed())
    try {
      reportUndone(await undoChange(id))
    } catch (error) {
      // The dialog lists the obstacles, with links.
      if (isCode(error, 'UNDO_CONFLICT')) undoing.set(id)
      else toastError('Not undone', error)
      break
    }
  refreshAll()
}
