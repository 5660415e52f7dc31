/** The page of one user: profile, roles, effective permissions, sessions and API keys. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { KeysCard } from '../../account/keys-card.tsx'
import { SessionsCard } from '../../account/sessions-card.tsx'
import { contracts } from '../../api/contracts.ts'
import { type Fact, MissingObject, ObjectPage } from '../../resource/object/object-page.tsx'
import { type RelatedItem, relate } from '../../resource/object/object-side.tsx'
import { useMe, usePermit, usePermitted } from '../../shell/me.ts'
import { PageBody } from '../../shell/page.tsx'
import { Card, CopyText, Facts, TimeAgo } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import css from '../access.module.css'
import { GrantsCard } from '../grants/grants-card.tsx'
import { formatHolder, formatRole } from '../grants/holder.ts'
import { grantsQuery, groupsOfQuery, rolesQuery, userPermissionsQuery, userQuery } from '../queries.ts'
import { Matrix } from '../roles/matrix.tsx'
import type { Grant, User } from '../types.ts'
import { UserActionItems, useNoDelete } from '../user-menu.tsx'
import { DeleteUser, type UserAction, UserActionDialog } from './user-actions.tsx'
import { userResource } from './user-resource.tsx'
import { UserStatus } from './users-page.tsx'

const route = getRouteApi('/app/users/$id')
const PARENT = { text: 'Users', link: { to: '/users' } } as const

const listStrip = (user: User): readonly Fact[] => [
  ['Status', <UserStatus key="status" user={user} />],
  ['Full name', user.full_name],
  ['E-mail', user.email],
  ['Password', describePassword(user)],
  ['Last sign-in', user.last_login_at === null ? 'never' : <TimeAgo key="seen" at={user.last_login_at} />],
  ['Created', <TimeAgo key="created" at={user.created_at} />],
]

const describePassword = ({ has_password, is_break_glass }: User): string => {
  if (!has_password) return 'none; signs in by an identity provider'
  return is_break_glass ? 'yes, also while passwords are off' : 'yes'
}

const effectiveGrants = ({ id }: User) => grantsQuery({ user_id: id, effective: true })

/** @example formatGrant(grant) // 'operator of the group netops' */
const formatGrant = (grant: Grant): string =>
  grant.group_id === null ? formatRole(grant) : `${formatRole(grant)} of ${formatHolder(grant)}`

/** Also the groups that give no role, and so are not among the grants. Undefined while they are loaded. */
const useGroups = (id: string): readonly RelatedItem[] | undefined | null => {
  const { may } = usePermit()
  const { data } = useQuery({ ...groupsOfQuery(id), enabled: may('groups:list') })
  if (!may('groups:list')) return null
  return data?.map((group) => relate({ to: '/groups/$id', params: { id: group.id } }, group.name, 'member'))
}

const PermissionsCard = ({ user }: { readonly user: User }) => {
  const { data, error, refetch } = useQuery(userPermissionsQuery(user.id))
  // Cached roles and grants show which of them give a permission. Requests only for that are not worth it.
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: false })
  const { data: grants = [] } = useQuery({ ...effectiveGrants(user), enabled: false })
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  const held = new Set(data?.map(({ name }) => name))
  const describeSource = (name: string) => {
    const giving = new Set(roles.filter(({ permissions }) => permissions.includes(name)).map(({ id }) => id))
    const from = grants.filter(({ role_id }) => giving.has(role_id)).map(formatGrant)
    return from.length === 0 ? undefined : `${name}, by ${from.join(', ')}`
  }
  return (
    <Card title={`Effective permissions · ${data?.length ?? '…'}, of all roles`}>
      {data && <Matrix label={`What ${user.username} may do`} held={held} describeSource={describeSource} />}
    </Card>
  )
}

const Access = ({ user }: { readonly user: User }) => {
  const me = useMe()
  const { may } = usePermit()
  const isOwn = user.id === me.id
  return (
    <>
      {isOwn || may('users:update') ? (
        <SessionsCard userId={user.id} title="Sessions" />
      ) : (
        <Card title="Sessions">
          <p className="muted">
            To see them needs the permission <code className="mono">users:update</code>.
          </p>
        </Card>
      )}
      {isOwn || may('apikeys:list') ? (
        <KeysCard owner={user} />
      ) : (
        <Card title="API keys">
          <p className="muted">
            To see them needs the permission <code className="mono">apikeys:list</code>.
          </p>
        </Card>
      )}
    </>
  )
}

export const UserPage = () => {
  const { id } = route.useParams()
  const { may, blocked } = usePermit()
  const noDelete = useNoDelete()
  const { data, error, refetch } = usePermitted('users:read', userQuery(id))
  const related = useGroups(id)
  const [action, setAction] = useState<UserAction>()
  if (!data) return <MissingObject noun="user" parent={PARENT} error={error} refetch={refetch} />
  const user = data.value
  const overview = (
    <>
      <GrantsCard
        title="Roles"
        filter={{ user_id: user.id, effective: true }}
        show={{ role: true, holder: 'from', scope: 'always' }}
        given={{ holder: { user_id: user.id, name: user.username } }}
        empty="None: this user has no role, directly or through a group."
      />
      <Card title="Details">
        <Facts facts={[['ID', <CopyText key="id" text={user.id} label="ID" />]]} />
      </Card>
    </>
  )
  return (
    <ObjectPage
      noun="user"
      parent={PARENT}
      id={id}
      title={user.username}
      get={contracts.users.get}
      resource={userResource}
      edit={{ blocked: blocked('users:update') }}
      remove={{
        blocked: noDelete(user),
        dialog: (close, leave) => <DeleteUser user={user} onClose={close} onDone={leave} />,
      }}
      menu={<UserActionItems user={user} onAction={setAction} />}
      strip={listStrip(user)}
      side={{ audited: 'user', related }}
      tabs={[
        { id: 'overview', text: 'Overview', content: overview },
        { id: 'permissions', text: 'Permissions', content: <PermissionsCard user={user} /> },
        { id: 'access', text: 'Sessions and keys', content: <Access user={user} /> },
      ]}
      body={(content) => (
        <PageBody>
          {content}
          {may('audit:list') && (
            <p className={css.more}>
              <Link to="/audit" search={{ user: id }} className="link">
                Actions by {user.username}
              </Link>
              <Link to="/audit" search={{ resource: 'user', resource_id: id }} className="link">
                Changes to {user.username}
              </Link>
            </p>
          )}
        </PageBody>
      )}
    >
      {action && <UserActionDialog user={user} action={action} onClose={() => setAction(undefined)} />}
    </ObjectPage>
  )
}
