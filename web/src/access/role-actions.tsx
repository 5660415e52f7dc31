/** The deletion of a role, with the users and keys that lose it. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { usersQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { plural } from '../ui/format.ts'
import { ActionDialog } from './action-dialog.tsx'
import { ROLE_CHANGES } from './role-resource.tsx'
import type { Role } from './types.ts'

export const systemNote = ({ name }: Role): string => `${name} is a system role and cannot be changed`

type Props = { readonly role: Role; readonly onClose: () => void; readonly onDone?: () => unknown }

export const DeleteRole = ({ role, onClose, onDone }: Props) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...usersQuery, enabled: may('users:list') })
  const holders = data?.filter(({ roles }) => roles.includes(role.name)).length
  return (
    <ActionDialog
      title={`Delete ${role.name}?`}
      action="Delete role"
      isDanger
      run={() => api.roles.delete({ id: role.id })}
      done={`Deleted ${role.name}`}
      changes={ROLE_CHANGES}
      onClose={onClose}
      onDone={onDone}
    >
      {holders === undefined ? 'Its users and keys lose it' : `${plural(holders, 'user')} will lose it`}, at once. This
      can't be undone.
    </ActionDialog>
  )
}
