/** The deeds of a user as items of a menu, those that one may not do with the permission that they need. */
import { useMe, usePermit } from '../shell/me.ts'
import { MenuItem, MenuLine } from '../ui/menu.tsx'
import type { User } from './types.ts'
import type { UserDeed } from './user-actions.tsx'

type Props = { readonly user: User; readonly onDeed: (deed: UserDeed) => void }

export const UserDeeds = ({ user, onDeed }: Props) => {
  const { may } = usePermit()
  const me = useMe()
  const needs = (permission: string) => (may(permission) ? undefined : permission)
  return (
    <>
      <MenuItem onSelect={() => onDeed('password')} blocked={needs('users:update')}>
        Set a new password
      </MenuItem>
      <MenuItem onSelect={() => onDeed('toggle')} blocked={needs('users:update')}>
        {user.is_active ? 'Deactivate' : 'Activate'}
      </MenuItem>
      <MenuLine />
      <MenuItem
        isDanger
        onSelect={() => onDeed('delete')}
        blocked={needs('users:delete') ?? (user.id === me.id ? 'yourself' : undefined)}
      >
        Delete user<kbd>#</kbd>
      </MenuItem>
    </>
  )
}
