/** The list of all roles, built-in and custom. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usersQuery } from '../api/queries.ts'
import { type ColumnsOf, ListPage, type Rules } from '../resource/list-page.tsx'
import { actionsColumn } from '../resource/row-menu.tsx'
import { usePermit } from '../shell/me.ts'
import { timeColumn } from '../table/time-column.tsx'
import { Badge } from '../ui/primitives.tsx'
import { rolesQuery } from './queries.ts'
import { DeleteRole, systemNote } from './role-actions.tsx'
import { roleResource, roleSpec } from './role-resource.tsx'
import type { Role } from './types.ts'

type Tools = {
  /** Undefined if the caller may not list users. */
  readonly holders: ReadonlyMap<string, number> | undefined
  readonly needs: (permission: string) => string | undefined
}

export const RoleKind = ({ role }: { readonly role: Role }) =>
  role.is_system ? <Badge tone="idle">system</Badge> : <Badge tone="info">custom</Badge>

const systemBlock = (role: Role): string | undefined => (role.is_system ? 'system role' : undefined)

const columnsFor =
  ({ holders, needs }: Tools): ColumnsOf<Role> =>
  (run) => [
    {
      id: 'name',
      text: 'Name',
      width: 180,
      isSortable: true,
      isEssential: true,
      cell: ({ id, name }) => (
        <Link to="/roles/$id" params={{ id }} tabIndex={-1}>
          {name}
        </Link>
      ),
    },
    {
      id: 'kind',
      text: 'Kind',
      width: 100,
      isSortable: true,
      isEssential: true,
      cell: (role) => <RoleKind role={role} />,
    },
    {
      id: 'permissions',
      text: 'Permissions',
      width: 110,
      isSortable: true,
      isRight: true,
      cell: ({ permissions }) => <span className="num">{permissions.length}</span>,
    },
    {
      id: 'users',
      text: 'Users',
      width: 80,
      isRight: true,
      cell: ({ name }) =>
        holders ? (
          <span className="num">{holders.get(name) ?? 0}</span>
        ) : (
          <span className="muted" title="Needs the permission users:list">
            –
          </span>
        ),
    },
    { id: 'description', text: 'Description', width: 420, cell: ({ description }) => description },
    timeColumn({ id: 'updated', text: 'Updated', width: 120, at: ({ updated_at }) => updated_at }),
    actionsColumn({
      noun: 'role',
      nameOf: ({ name }) => name,
      edit: { run: run.edit, blocked: (role) => needs('roles:update') ?? systemBlock(role) },
      remove: { run: run.remove, blocked: (role) => needs('roles:delete') ?? systemBlock(role) },
    }),
  ]

const DEFAULT_COLUMNS = ['name', 'kind', 'permissions', 'users', 'description', 'actions']

export const RolesPage = () => {
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  const { data: users } = useQuery({ ...usersQuery, enabled: may('roles:list') && may('users:list') })
  // biome-ignore lint/correctness/useExhaustiveDependencies: permissions stay the same until the page is reloaded
  const columns = useMemo(() => {
    const names = users?.flatMap(({ roles }) => roles)
    const holders = names && new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
    const needs = (permission: string) => (may(permission) ? undefined : permission)
    return columnsFor({ holders, needs })
  }, [users])
  const system = (role: Role) => (role.is_system ? systemNote(role) : undefined)
  const rules: Rules<Role> = {
    edit: system,
    remove: (role) => blocked('roles:delete') ?? system(role),
  }
  return (
    <ListPage
      title="Roles"
      resourceName="roles"
      resource={roleResource}
      query={query}
      needs="roles:list"
      spec={roleSpec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, permission, kind:, holds:"
      empty="A role holds permissions, and users have roles."
      deleteWarning=""
      rules={rules}
      open={({ id }) => void navigate({ to: '/roles/$id', params: { id } })}
      removal={(role, onClose) => <DeleteRole role={role} onClose={onClose} />}
    />
  )
}
