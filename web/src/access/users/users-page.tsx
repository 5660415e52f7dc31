/** The list of all users, with their roles and states. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { usersQuery } from '../../api/queries.ts'
import { type ColumnsOf, ListPage, type Rules } from '../../resource/list-page.tsx'
import { buildActionsColumn } from '../../resource/row-menu.tsx'
import { useMe, usePermit } from '../../shell/me.ts'
import { buildTimeColumn } from '../../table/time-column.tsx'
import { Badge, Tags } from '../../ui/primitives.tsx'
import type { User } from '../types.ts'
import { UserActionItems, useNoDelete } from '../user-menu.tsx'
import { DeleteUser, PasswordOnce, type UserAction, UserActionDialog } from './user-actions.tsx'
import { userResource, userSpec } from './user-resource.tsx'

type Doing = { readonly user: User; readonly action: UserAction }

export const UserStatus = ({ user }: { readonly user: User }) =>
  user.is_active ? <Badge tone="ok">active</Badge> : <Badge tone="idle">inactive</Badge>

type Tools = {
  readonly onAction: (doing: Doing) => void
  readonly canEdit: boolean
  readonly noDelete: (user: User) => string | undefined
}

const buildColumns =
  ({ onAction, canEdit, noDelete }: Tools): ColumnsOf<User> =>
  (run) => [
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
    buildActionsColumn({
      noun: 'user',
      getName: ({ username }) => username,
      edit: { run: run.edit, blocked: () => (canEdit ? undefined : 'users:update') },
      remove: { run: run.remove, blocked: noDelete },
      more: (user) => <UserActionItems user={user} onAction={(action) => onAction({ user, action })} />,
    }),
  ]

const DEFAULT_COLUMNS = ['username', 'full_name', 'email', 'roles', 'status', 'seen', 'actions']

export const UsersPage = () => {
  const { may, blocked } = usePermit()
  const me = useMe()
  const navigate = useNavigate()
  const query = useQuery({ ...usersQuery, enabled: may('users:list') })
  const [doing, setDoing] = useState<Doing>()
  const [made, setMade] = useState<{ readonly username: string; readonly password: string }>()
  const canEdit = may('users:update')
  const noDelete = useNoDelete()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the setters stay the same
  const columns = useMemo(() => buildColumns({ onAction: setDoing, canEdit, noDelete }), [canEdit])
  const rules: Rules<User> = {
    remove: ({ id }) => blocked('users:delete') ?? (id === me.id ? "You can't delete your own account" : undefined),
  }
  return (
    <>
      <ListPage
        title="Users"
        resourceName="users"
        resource={userResource}
        query={query}
        needs="users:list"
        spec={userSpec}
        columns={columns}
        defaultColumns={DEFAULT_COLUMNS}
        sort="username"
        placeholder="Name, e-mail, role:, status:"
        empty="A user signs in with a password, and has the permissions of the roles."
        deleteWarning=""
        rules={rules}
        open={({ id }) => void navigate({ to: '/users/$id', params: { id } })}
        onSaved={({ username }, isNew, { password }) => {
          if (isNew && password) setMade({ username, password })
        }}
        removal={(user, onClose) => <DeleteUser user={user} onClose={onClose} />}
      />
      {doing && <UserActionDialog {...doing} onClose={() => setDoing(undefined)} />}
      {made && <PasswordOnce {...made} onClose={() => setMade(undefined)} />}
    </>
  )
}
