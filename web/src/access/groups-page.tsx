/** The list of all groups of users, with the roles that they give. */

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { sortByName } from '../../../src/net/name-order.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { Tags, Withheld } from '../ui/primitives.tsx'
import { formatRole } from './grants/holder.ts'
import { DeleteGroup } from './groups/delete-group.tsx'
import { fields } from './groups/fields.ts'
import { groupResource } from './groups/resource.ts'
import { grantsQuery, groupsQuery } from './queries.ts'
import type { Grant, Group } from './types.ts'

const ORDER = ['name', 'member_count', 'description', 'updated_at']
const DEFAULT_COLUMNS = ['name', 'members', 'roles', 'description', 'updated', 'actions']
const COLUMNS = buildOwnColumns(fields, ORDER, {
  name: ({ id, name }) => (
    <Link to="/groups/$id" params={{ id }} tabIndex={-1}>
      {name}
    </Link>
  ),
  member_count: ({ member_count }) => <span className="num">{member_count}</span>,
})
const SPEC = buildTableSpec(fields)

/** The roles that each group gives, sorted, by its id. */
type Roles = ReadonlyMap<string, readonly string[]>

const collectRoles = (grants: readonly Grant[]): Roles =>
  new Map(
    [...Map.groupBy(grants, ({ group_id }) => group_id ?? '')].map(([id, all]) => [
      id,
      sortByName(new Set(all.map(formatRole)), (role) => role),
    ]),
  )

const buildSpec = (roles: Roles): TableSpec<Group> => {
  const listRoles = ({ id }: Group) => roles.get(id) ?? []
  return {
    ...SPEC,
    fields: {
      ...SPEC.fields,
      role: (group, value) => listRoles(group).some((role) => role.toLowerCase().startsWith(value)),
    },
    facets: { ...SPEC.facets, role: listRoles },
  }
}

/** @param roles undefined if the caller may not list grants */
const buildColumns = (roles: Roles | undefined): readonly Column<Group>[] =>
  COLUMNS.toSpliced(2, 0, {
    id: 'roles',
    text: 'Roles',
    width: 220,
    cell: ({ id }) => (roles ? <Tags tags={roles.get(id) ?? []} /> : <Withheld permission="users:list" />),
  })

const NO_ROLES: Roles = new Map()

export const GroupsPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...groupsQuery, enabled: may('groups:list') })
  const { data: grants } = useQuery({ ...grantsQuery(), enabled: may('groups:list') && may('users:list') })
  const roles = useMemo(() => grants && collectRoles(grants), [grants])
  const columns = useMemo(() => buildColumns(roles), [roles])
  const spec = useMemo(() => buildSpec(roles ?? NO_ROLES), [roles])
  return (
    <ListPage
      resourceName="groups"
      resource={groupResource}
      query={query}
      needs="groups:list"
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, description, role:"
      empty="A group gives roles to all of its members."
      deleteWarning=""
      menu={{}}
      open={({ id }) => void navigate({ to: '/groups/$id', params: { id } })}
      removal={(group, onClose) => <DeleteGroup group={group} onClose={onClose} />}
    />
  )
}
