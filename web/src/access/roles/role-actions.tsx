/** The deletion of a role, with the users and groups that lose it. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { usePermit } from '../../shell/me.ts'
import { plural } from '../../ui/format.ts'
import { ActionDialog } from '../action-dialog.tsx'
import { grantsQuery, RIGHTS_CHANGES } from '../queries.ts'
import type { Grant, Role } from '../types.ts'

export const formatSystemNote = ({ name }: Role): string => `${name} is a system role and cannot be changed`

/** @example formatHolders(grants) // '2 users and 1 group' */
const formatHolders = (grants: readonly Grant[]): string => {
  const users = new Set(grants.flatMap(({ user_id }) => user_id ?? [])).size
  const groups = new Set(grants.flatMap(({ group_id }) => group_id ?? [])).size
  return `${plural(users, 'user')}${groups === 0 ? '' : ` and ${plural(groups, 'group')}`}`
}

type Props = { readonly role: Role; readonly onClose: () => void; readonly onDone?: () => unknown }

export const DeleteRole = ({ role, onClose, onDone }: Props) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...grantsQuery({ role_id: role.id }), enabled: may('users:list') })
  return (
    <ActionDialog
      title={`Delete ${role.name}?`}
      action="Delete role"
      isDanger
      run={() => api.roles.delete({ id: role.id })}
      done={`Deleted ${role.name}`}
      changes={RIGHTS_CHANGES}
      onClose={onClose}
      onDone={onDone}
    >
      {data ? `${formatHolders(data)} will lose it` : 'Its users and groups lose it'}, at once. This can't be undone.
    </ActionDialog>
  )
}
