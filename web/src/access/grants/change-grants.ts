/** Takes grants back, and gives them again, for the undo of a toast. */
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/queries.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { Grant } from '../types.ts'
import { formatHolder, formatRole } from './holder.ts'

const run = (work: () => Promise<unknown>, done: string, failed: string) => ({
  undo: () =>
    void work()
      .then(() => {
        toast(done)
        for (const key of RIGHTS_CHANGES) void queryClient.invalidateQueries({ queryKey: [key] })
      })
      .catch((error: unknown) => toastError(failed, error)),
})

/** Returns the undo of a grant that was just made. */
export const createUndoOfGrant = (grant: Grant) =>
  run(
    () => api.grants.delete({ id: grant.id }),
    `Revoked ${formatRole(grant)} from ${formatHolder(grant)}`,
    `${formatHolder(grant)} still has ${formatRole(grant)}`,
  )

/** Returns the undo of a grant that was just revoked. */
export const createUndoOfRevocation = (grant: Grant) => {
  const { role_id, user_id, group_id, scope_id } = grant
  return run(
    () => api.grants.create({ role_id, user_id, group_id, scope_id }),
    `Granted ${formatRole(grant)} to ${formatHolder(grant)}`,
    `${formatHolder(grant)} has ${formatRole(grant)} no more`,
  )
}
