/** Opens the preview of undoing the newest change of the user that is not undone. */
import { api } from '../api/client.ts'
import { meQuery, queryClient } from '../api/queries.ts'
import { undoing } from '../shell/palette-state.ts'
import { toast, toastError } from '../ui/toast.tsx'

/** The number of changes among which it is looked for. */
const MAX_CHANGES = 50

export const undoLast = async (): Promise<void> => {
  try {
    const { id: user_id } = await queryClient.ensureQueryData(meQuery)
    const changes = await api.history.list({ user_id, limit: MAX_CHANGES })
    const last = changes.find(({ undone_by, undoes }) => undone_by === null && undoes === null)
    if (last) undoing.set(last.id)
    else toast('Nothing to undo', { description: 'None of your last changes can be undone.' })
  } catch (error) {
    toastError('Your changes are not known', error)
  }
}
