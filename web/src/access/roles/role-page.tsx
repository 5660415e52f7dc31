/** The page of one role: its permissions, and the users and groups that have it. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AppError } from '../../../../src/contract/errors.ts'
import { contracts } from '../../api/contracts.ts'
import { CommandMenu } from '../../commands/command-menu.tsx'
import { ResourceDrawer } from '../../resource/resource-drawer.tsx'
import { useHotkeys } from '../../shell/hotkeys.ts'
import { usePermit } from '../../shell/me.ts'
import { Hints, PageBody, PageHead } from '../../shell/page.tsx'
import { PageLoading } from '../../shell/page-loading.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Card, CopyText, Facts, TimeAgo } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import css from '../access.module.css'
import { GrantsCard } from '../grants/grants-card.tsx'
import { roleQuery } from '../queries.ts'
import type { Role } from '../types.ts'
import { Matrix } from './matrix.tsx'
import { DeleteRole, formatSystemNote } from './role-actions.tsx'
import { roleResource } from './role-resource.tsx'
import { RoleKind } from './roles-page.tsx'

const route = getRouteApi('/app/roles/$id')
const parent = { text: 'Roles', link: { to: '/roles' } } as const

const FactsCard = ({ role }: { readonly role: Role }) => (
  <Card title="Role">
    <Facts
      facts={[
        ['Kind', <RoleKind key="kind" role={role} />],
        ['Description', role.description],
        ['Updated', role.is_system ? 'with Plat' : <TimeAgo key="updated" at={role.updated_at} />],
        ['ID', <CopyText key="id" text={role.id} label="ID" />],
      ]}
    />
  </Card>
)

export const RolePage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { data, error, refetch } = useQuery({ ...roleQuery(id), enabled: may('roles:read') })
  const [isDoomed, setPendingDelete] = useState(false)
  const role = data?.value
  const stays = role?.is_system ? formatSystemNote(role) : undefined
  const edit = () => void set({ edit: id })
  const noEdit = blocked('roles:update') ?? stays
  const noDelete = blocked('roles:delete') ?? stays
  useHotkeys({
    ...(role && noEdit === undefined ? { e: edit } : {}),
    ...(role && noDelete === undefined ? { '#': () => setPendingDelete(true) } : {}),
  })
  const denied = may('roles:read') ? undefined : new AppError('FORBIDDEN', 'This needs the permission roles:read')
  if (!role)
    return (
      <>
        <PageHead title="Role" parent={parent} />
        {(denied ?? error) ? (
          <Failure error={denied ?? error} onRetry={() => void refetch()} noun="role" />
        ) : (
          <PageLoading />
        )}
      </>
    )
  return (
    <>
      <PageHead title={role.name} parent={parent}>
        <Button onClick={edit} blocked={noEdit}>
          Edit
          <kbd>e</kbd>
        </Button>
        <CommandMenu getCall={() => ({ op: contracts.roles.get, input: { id } })} />
        <Button look="danger" onClick={() => setPendingDelete(true)} blocked={noDelete}>
          Delete
        </Button>
      </PageHead>
      <PageBody>
        <div className={css.two}>
          <FactsCard role={role} />
          <GrantsCard
            title="Who has it"
            filter={{ role_id: id }}
            show={{ role: false, holder: 'name', scope: 'auto' }}
            given={{ role }}
            empty="No user and no group has it."
          />
        </div>
        <Card title={`Holds ${plural(role.permissions.length, 'permission')}`}>
          <Matrix label={`What ${role.name} holds`} held={new Set(role.permissions)} />
        </Card>
      </PageBody>
      <Hints hints={[...(noEdit === undefined ? [[['e'], 'edit'] as const] : []), [['?'], 'all shortcuts']]} />
      {search.edit !== undefined && (
        <ResourceDrawer
          resource={roleResource}
          id={id}
          onClose={() => void set({ edit: undefined })}
          blocked={noEdit}
        />
      )}
      {isDoomed && (
        <DeleteRole role={role} onClose={() => setPendingDelete(false)} onDone={() => navigate({ to: '/roles' })} />
      )}
    </>
  )
}
