/** The roles of a user. One click adds or removes a role, and a refusal is shown beside the role. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { toAppError } from '../../api/errors.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Card, Skeleton } from '../../ui/primitives.tsx'
import { toast } from '../../ui/toast.tsx'
import css from '../access.module.css'
import { RIGHTS_CHANGES, rolesQuery } from '../queries.ts'
import { filterMissing, formatMissing } from '../roles/matrix.ts'
import type { Role, User } from '../types.ts'

type RowProps = { readonly user: User; readonly role: Role }

const Row = ({ user, role }: RowProps) => {
  const client = useQueryClient()
  const { may, blocked } = usePermit()
  const isHeld = user.roles.includes(role.name)
  const turn = useMutation({
    mutationFn: async () => {
      const input = { user_id: user.id, role_id: role.id }
      if (isHeld) await api.users.revokeRole(input)
      else await api.users.grantRole(input)
    },
    onSuccess: () => {
      toast(isHeld ? `${user.username} is no ${role.name} any more` : `${user.username} is ${role.name} now`)
      for (const key of RIGHTS_CHANGES) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const lack = isHeld ? undefined : formatMissing(filterMissing(role.permissions, may))
  const reason = blocked('users:update') ?? lack
  return (
    <li className={css.roleRow}>
      <Link to="/roles/$id" params={{ id: role.id }} className={css.name}>
        {role.name}
      </Link>
      {isHeld && <Badge tone="ok">granted</Badge>}
      <span className={`${css.note} truncate`} title={role.description}>
        {role.description}
      </span>
      <Button
        onClick={() => turn.mutate()}
        disabled={turn.isPending}
        blocked={reason}
        aria-label={`${isHeld ? 'Revoke' : 'Grant'} ${role.name}`}
      >
        {isHeld ? 'Revoke' : 'Grant'}
      </Button>
      {turn.isError && (
        <p role="alert" className={css.error}>
          {toAppError(turn.error).message}
        </p>
      )}
    </li>
  )
}

export const UserRolesCard = ({ user }: { readonly user: User }) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  if (!may('roles:list'))
    return (
      <Card title="Roles">
        <p>{user.roles.join(', ') || 'None'}</p>
        <p className={css.note}>
          To give others needs the permission <code className="mono">roles:list</code>.
        </p>
      </Card>
    )
  const held = new Set(user.roles)
  const sorted = [...(data ?? [])].sort((a, b) => Number(held.has(b.name)) - Number(held.has(a.name)))
  return (
    <Card title="Roles">
      {!data && <Skeleton />}
      <ul>
        {sorted.map((role) => (
          <Row key={role.id} user={user} role={role} />
        ))}
      </ul>
    </Card>
  )
}
