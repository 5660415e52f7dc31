/** The deletion of a group. Its members stay, without the roles that it gives. */
import { api } from '../../api/client.ts'
import { plural } from '../../ui/format.ts'
import { ActionDialog } from '../action-dialog.tsx'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { Group } from '../types.ts'

type Props = { readonly group: Group; readonly onClose: () => void; readonly onDone?: () => unknown }

export const DeleteGroup = ({ group: { id, name, member_count }, onClose, onDone }: Props) => (
  <ActionDialog
    title={`Delete ${name}?`}
    action="Delete group"
    isDanger
    run={() => api.groups.delete({ id })}
    done={`Deleted ${name}`}
    changes={RIGHTS_CHANGES}
    onClose={onClose}
    onDone={onDone}
  >
    {member_count === 0
      ? 'It has no members.'
      : `${plural(member_count, 'member')} will lose the roles that it gives, at once. The users stay.`}{' '}
    This can't be undone.
  </ActionDialog>
)
