/** Menu items for the actions on a user, except deletion. One without permission names the missing one. */
import { useMe, usePermit } from '../shell/me.ts'
import { MenuItem } from '../ui/menu.tsx'
import type { User } from './types.ts'
import type { UserAction } from './users/user-actions.tsx'

/** Returns the reason why a user can't be deleted. */
export const useNoDelete = (): ((user: User) => string | undefined) => {
  const { may } = usePermit()
  const me = useMe()
  return ({ id }) => (may('users:delete') ? (id === me.id ? 'yourself' : undefined) : 'users:delete')
}

type Props = { readonly user: User; readonly onAction: (action: UserAction) => void }

export const UserActionItems = ({ user, onAction }: Props) => {
  const { may } = usePermit()
  const me = useMe()
  const needs = (permission: string) => (may(permission) ? undefined : permission)
  return (
    <>
      <MenuItem onSelect={() => onAction('password')} blocked={needs('users:update')}>
        Set a new password
      </MenuItem>
      <MenuItem onSelect={() => onAction('factors')} blocked={user.id === me.id ? 'yourself' : needs('users:update')}>
        Remove second factors
      </MenuItem>
      <MenuItem onSelect={() => onAction('toggle')} blocked={needs('users:update')}>
        {user.is_active ? 'Deactivate' : 'Activate'}
      </MenuItem>
    </>
  )
}
