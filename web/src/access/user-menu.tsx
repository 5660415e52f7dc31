/** The deeds of a user, but deleting, as items of a menu, those that one may not do with the permission that they need. */
import { useMe, usePermit } from '../shell/me.ts'
import { MenuItem } from '../ui/menu.tsx'
import type { User } from './types.ts'
import type { UserDeed } from './user-actions.tsx'

/** Why a user can't be deleted. */
export const useNoDelete = (): ((user: User) => string | undefined) => {
  const { may } = usePermit()
  const me = useMe()
  return ({ id }) => (may('users:delete') ? (id === me.id ? 'yourself' : undefined) : 'users:delete')
}

type Props = { readonly user: User; readonly onDeed: (deed: UserDeed) => void }

export const UserDeeds = ({ user, onDeed }: Props) => {
  const { may } = usePermit()
  const needs = (permission: string) => (may(permission) ? undefined : permission)
  return (
    <>
      <MenuItem onSelect={() => onDeed('password')} blocked={needs('users:update')}>
        Set a new password
      </MenuItem>
      <MenuItem onSelect={() => onDeed('toggle')} blocked={needs('users:update')}>
        {user.is_active ? 'Deactivate' : 'Activate'}
      </MenuItem>
    </>
  )
}
