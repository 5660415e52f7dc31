/** The list of all roles, built-in and custom. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ListPage, type Rules } from '../../resource/list-page.tsx'
import { buildNameColumn } from '../../resource/name-column.tsx'
import { usePermit } from '../../shell/me.ts'
import type { Column } from '../../table/column.ts'
import { buildTimeColumn } from '../../table/time-column.tsx'
import { Badge, Withheld } from '../../ui/primitives.tsx'
import { grantsQuery, rolesQuery } from '../queries.ts'
import type { Grant, Role } from '../types.ts'
import { DeleteRole, formatSystemNote } from './role-actions.tsx'
import { roleResource, roleSpec } from './role-resource.tsx'

type Counts = { readonly users: number; readonly groups: number }

/** Returns the users and groups that hold each role directly, by its id. */
const countHolders = (grants: readonly Grant[]): ReadonlyMap<string, Counts> =>
  new Map(
    [...Map.groupBy(grants, ({ role_id }) => role_id)].map(([id, all]) => [
      id,
      {
        users: new Set(all.flatMap(({ user_id }) => user_id ?? [])).size,
        groups: new Set(all.flatMap(({ group_id }) => group_id ?? [])).size,
      },
    ]),
  )

/** Undefined if the caller may not list users. */
type Holders = ReadonlyMap<string, Counts> | undefined

export const RoleKind = ({ role }: { readonly role: Role }) =>
  role.is_system ? <Badge tone="idle">system</Badge> : <Badge tone="info">custom</Badge>

const systemBlock = (role: Role): string | undefined => (role.is_system ? 'system role' : undefined)
const MENU = { edit: systemBlock, remove: systemBlock }

const countColumn = (id: keyof Counts, holders: Holders): Column<Role> => ({
  id,
  text: id === 'users' ? 'Users' : 'Groups',
  width: 80,
  isRight: true,
  cell: (role) =>
    holders ? <span className="num">{holders.get(role.id)?.[id] ?? 0}</span> : <Withheld permission="users:list" />,
})

const buildColumns = (holders: Holders): readonly Column<Role>[] => [
  buildNameColumn(180, '/roles/$id'),
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
  countColumn('users', holders),
  countColumn('groups', holders),
  { id: 'description', text: 'Description', width: 420, cell: ({ description }) => description },
  buildTimeColumn({ id: 'updated', text: 'Updated', width: 120, at: ({ updated_at }) => updated_at }),
]

const DEFAULT_COLUMNS = ['name', 'kind', 'permissions', 'users', 'groups', 'description', 'actions']

export const RolesPage = () => {
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  const { data: grants } = useQuery({ ...grantsQuery(), enabled: may('roles:list') && may('users:list') })
  const columns = useMemo(() => buildColumns(grants && countHolders(grants)), [grants])
  const system = (role: Role) => (role.is_system ? formatSystemNote(role) : undefined)
  const rules: Rules<Role> = {
    edit: system,
    remove: (role) => blocked('roles:delete') ?? system(role),
  }
  return (
    <ListPage
      resourceName="roles"
      resource={roleResource}
      query={query}
      needs="roles:list"
      spec={roleSpec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, permission, kind:, holds:"
      empty="A role holds permissions, and users and groups have roles."
      deleteWarning=""
      rules={rules}
      menu={MENU}
      open={({ id }) => void navigate({ to: '/roles/$id', params: { id } })}
      removal={(role, onClose) => <DeleteRole role={role} onClose={onClose} />}
    />
  )
}
