/** The list of all users, with their roles and states. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usersQuery } from '../../api/queries.ts'
import { ListPage, type Rules } from '../../resource/list-page.tsx'
import { useMe, usePermit } from '../../shell/me.ts'
import type { Column } from '../../table/column.ts'
import { buildTimeColumn } from '../../table/time-column.tsx'
import { Badge, Tags } from '../../ui/primitives.tsx'
import { AdminQuestion } from '../grants/admin-question.tsx'
import type { User } from '../types.ts'
import { UserActionItems } from '../user-menu.tsx'
import { isGenerated } from './password.ts'
import { DeleteUser, PasswordOnce, type UserAction, UserActionDialog } from './user-actions.tsx'
import { userResource, userSpec } from './user-resource.tsx'

type Doing = { readonly user: User; readonly action: UserAction }

export const UserStatus = ({ user }: { readonly user: User }) =>
  user.is_active ? <Badge tone="ok">active</Badge> : <Badge tone="idle">inactive</Badge>

const COLUMNS: readonly Column<User>[] = [
  {
    id: 'username',
    text: 'User name',
    width: 170,
    isSortable: true,
    isEssential: true,
    cell: ({ id, username }) => (
      <Link to="/users/$id" params={{ id }} tabIndex={-1}>
        {username}
      </Link>
    ),
  },
  { id: 'full_name', text: 'Full name', width: 180, isSortable: true, cell: ({ full_name }) => full_name },
  { id: 'email', text: 'E-mail', width: 210, isSortable: true, cell: ({ email }) => email },
  {
    id: 'roles',
    text: 'Roles',
    width: 190,
    isEssential: true,
    cell: ({ roles }) => (roles.length === 0 ? <span className="muted">none</span> : <Tags tags={roles} />),
  },
  { id: 'status', text: 'Status', width: 100, isSortable: true, cell: (user) => <UserStatus user={user} /> },
  buildTimeColumn({ id: 'seen', text: 'Last sign-in', width: 130, at: ({ last_login_at }) => last_login_at }),
  buildTimeColumn({ id: 'created', text: 'Created', width: 130, at: ({ created_at }) => created_at }),
]

const DEFAULT_COLUMNS = ['username', 'full_name', 'email', 'roles', 'status', 'seen', 'actions']

export const UsersPage = () => {
  const { may, blocked } = usePermit()
  const me = useMe()
  const navigate = useNavigate()
  const query = useQuery({ ...usersQuery, enabled: may('users:list') })
  const [doing, setDoing] = useState<Doing>()
  const [made, setMade] = useState<{ readonly username: string; readonly password: string }>()
  const rules: Rules<User> = {
    remove: ({ id }) => blocked('users:delete') ?? (id === me.id ? "You can't delete your own account" : undefined),
  }
  return (
    <>
      <ListPage
        resourceName="users"
        resource={userResource}
        query={query}
        needs="users:list"
        spec={userSpec}
        columns={COLUMNS}
        defaultColumns={DEFAULT_COLUMNS}
        sort="username"
        placeholder="Name, e-mail, role:, status:"
        empty="A user signs in with a password, and has the permissions of the roles."
        deleteWarning=""
        rules={rules}
        menu={{
          remove: ({ id }) => (id === me.id ? 'yourself' : undefined),
          more: (user) => <UserActionItems user={user} onAction={(action) => setDoing({ user, action })} />,
        }}
        open={({ id }) => void navigate({ to: '/users/$id', params: { id } })}
        onSaved={({ username }, isNew, { password }) => {
          if (isNew && password && isGenerated(password)) setMade({ username, password })
        }}
        removal={(user, onClose) => <DeleteUser user={user} onClose={onClose} />}
      />
      <AdminQuestion />
      {doing && <UserActionDialog {...doing} onClose={() => setDoing(undefined)} />}
      {made && <PasswordOnce {...made} onClose={() => setMade(undefined)} />}
    </>
  )
}
