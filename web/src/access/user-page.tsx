/** The page of one user: profile, roles, effective permissions, sessions and API keys. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { KeysCard } from '../account/keys-card.tsx'
import { SessionsCard } from '../account/sessions-card.tsx'
import { contracts } from '../api/contracts.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Card, CopyText, Facts, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import css from './access.module.css'
import { Matrix } from './matrix.tsx'
import { rolesQuery, userPermissionsQuery, userQuery } from './queries.ts'
import type { User } from './types.ts'
import { type UserDeed, UserDeedDialog } from './user-actions.tsx'
import { UserDeeds, useNoDelete } from './user-menu.tsx'
import { userResource } from './user-resource.tsx'
import { UserRolesCard } from './user-roles-card.tsx'
import { UserStatus } from './users-page.tsx'

const route = getRouteApi('/app/users/$id')

const ProfileCard = ({ user }: { readonly user: User }) => (
  <Card title="Profile">
    <Facts
      facts={[
        ['Status', <UserStatus key="status" user={user} />],
        ['Full name', user.full_name],
        ['E-mail', user.email],
        ['Last sign-in', user.last_login_at === null ? 'never' : <TimeAgo key="seen" at={user.last_login_at} />],
        ['Created', <TimeAgo key="created" at={user.created_at} />],
        ['ID', <CopyText key="id" text={user.id} label="ID" />],
      ]}
    />
  </Card>
)

const PermissionsCard = ({ user }: { readonly user: User }) => {
  const { data, error, refetch } = useQuery(userPermissionsQuery(user.id))
  // Cached roles show which role grants a permission. A request only for that is not worth it.
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: false })
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  const held = new Set(data?.map(({ name }) => name))
  const sourceOf = (name: string) => {
    const from = roles.filter((role) => user.roles.includes(role.name) && role.permissions.includes(name))
    return from.length === 0 ? undefined : `${name}, by ${from.map((role) => role.name).join(', ')}`
  }
  return (
    <Card title={`Effective permissions · ${data?.length ?? '…'}, by all roles together`}>
      {data && <Matrix label={`What ${user.username} may do`} held={held} sourceOf={sourceOf} />}
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

const Head = ({ user, onEdit, onAction }: { user: User; onEdit: () => void; onAction: (deed: UserDeed) => void }) => {
  const { blocked } = usePermit()
  const noDelete = useNoDelete()
  const getCall = useCommand(contracts.users.get, { id: user.id })
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  return (
    <PageHead title={user.username} parent={{ text: 'Users', link: { to: '/users' } }}>
      <Button onClick={onEdit} blocked={blocked('users:update')}>
        Edit
        <kbd>e</kbd>
      </Button>
      <Menu trigger={more}>
        <UserDeeds user={user} onAction={onAction} />
        <CommandItems getCall={getCall} />
        <MenuLine />
        <MenuItem isDanger onSelect={() => onAction('delete')} blocked={noDelete(user)}>
          Delete user<kbd>#</kbd>
        </MenuItem>
      </Menu>
    </PageHead>
  )
}

export const UserPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const me = useMe()
  const { may, blocked } = usePermit()
  const { data, error, refetch } = useQuery({ ...userQuery(id), enabled: may('users:read') })
  const [deed, setDeed] = useState<UserDeed>()
  const edit = () => void set({ edit: id })
  useHotkeys({
    ...(may('users:update') && data ? { e: edit } : {}),
    ...(may('users:delete') && data && id !== me.id ? { '#': () => setDeed('delete') } : {}),
  })
  const denied = may('users:read') ? undefined : new AppError('FORBIDDEN', 'This needs the permission users:read')
  if (!data)
    return (
      <>
        <PageHead title="User" parent={{ text: 'Users', link: { to: '/users' } }} />
        {(denied ?? error) ? (
          <Failure error={denied ?? error} onRetry={() => void refetch()} noun="user" />
        ) : (
          <PageLoading />
        )}
      </>
    )
  const user = data.value
  const tab = search.tab ?? 'overview'
  return (
    <>
      <Head user={user} onEdit={edit} onAction={setDeed} />
      <Tabs
        label="About this user"
        current={tab}
        tabs={[
          { id: 'overview', text: 'Overview' },
          { id: 'permissions', text: 'Permissions' },
          { id: 'access', text: 'Sessions and keys' },
        ]}
      />
      <PageBody>
        {tab === 'permissions' && <PermissionsCard user={user} />}
        {tab === 'access' && <Access user={user} />}
        {tab !== 'permissions' && tab !== 'access' && (
          <div className={css.two}>
            <ProfileCard user={user} />
            <UserRolesCard user={user} />
          </div>
        )}
        {may('audit:list') && (
          <p className={css.more}>
            <Link to="/audit" search={{ user: id }} className="link">
              What {user.username} did
            </Link>
            <Link to="/audit" search={{ resource: 'user', resource_id: id }} className="link">
              What was done to {user.username}
            </Link>
          </p>
        )}
      </PageBody>
      <Hints hints={[...(may('users:update') ? [[['e'], 'edit'] as const] : []), [['?'], 'all shortcuts']]} />
      {search.edit !== undefined && (
        <ResourceDrawer
          resource={userResource}
          id={id}
          onClose={() => void set({ edit: undefined })}
          blocked={blocked('users:update')}
        />
      )}
      {deed && (
        <UserDeedDialog
          user={user}
          deed={deed}
          onClose={() => setDeed(undefined)}
          onDone={deed === 'delete' ? () => navigate({ to: '/users' }) : undefined}
        />
      )}
    </>
  )
}
