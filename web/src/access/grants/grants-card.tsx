/** Grants of a user, a group, a role or in a scope: one line each, with its revocation, and the form of another one. */
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { usePermit, usePermitted } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { Badge, Card, Skeleton, TimeAgo } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import css from '../access.module.css'
import { ActionDialog } from '../action-dialog.tsx'
import { type GrantFilter, grantsQuery, RIGHTS_CHANGES } from '../queries.ts'
import type { Grant } from '../types.ts'
import { AdminQuestion } from './admin-question.tsx'
import { createUndoOfRevocation } from './change-grants.ts'
import { type Given, GrantDialog } from './grant-dialog.tsx'
import { compareByHolder, compareByRole, formatHolder, formatRole } from './holder.ts'

/** The lines that are shown at first. */
const MOST = 50

type Show = {
  /** False on the page of a role. */
  readonly role: boolean
  /** `from`: of a user, directly or through a group. `none`: on the page of the holder. */
  readonly holder: 'name' | 'from' | 'none'
  /** Where the role counts: `auto` if any of the grants is in a scope. */
  readonly scope: 'auto' | 'always' | 'none'
}

const HolderLink = ({ grant: { group_id, group, user_id, username } }: { readonly grant: Grant }) =>
  group_id === null ? (
    <Link to="/users/$id" params={{ id: user_id ?? '' }} className={css.name}>
      {username}
    </Link>
  ) : (
    <span>
      <span className="muted">Group</span>{' '}
      <Link to="/groups/$id" params={{ id: group_id }} className={css.name}>
        {group}
      </Link>
    </span>
  )

const ScopeLink = ({ grant: { scope_id, scope } }: { readonly grant: Grant }) =>
  scope_id === null ? (
    <span className="muted">everywhere</span>
  ) : (
    <span>
      <span className="muted">In</span>{' '}
      <Link to="/scopes/$id" params={{ id: scope_id }} className={css.name}>
        {scope}
      </Link>
    </span>
  )

type RowProps = {
  readonly grant: Grant
  readonly show: Show
  readonly hasScope: boolean
  readonly onRevoke: () => void
}

const Row = ({ grant, show, hasScope, onRevoke }: RowProps) => {
  const { blocked } = usePermit()
  return (
    <li className={css.grantRow}>
      {show.role && (
        <Link to="/roles/$id" params={{ id: grant.role_id }} className={css.name}>
          {grant.role}
        </Link>
      )}
      {show.holder === 'name' && <HolderLink grant={grant} />}
      {show.holder === 'from' &&
        (grant.group_id === null ? (
          <span>
            <Badge tone="idle">directly</Badge>
          </span>
        ) : (
          <HolderLink grant={grant} />
        ))}
      {hasScope && <ScopeLink grant={grant} />}
      <span className={css.note}>
        Granted <TimeAgo at={grant.created_at} />
      </span>
      {show.holder === 'from' && grant.group_id !== null ? (
        <span className={css.noButton} />
      ) : (
        <Button
          look="danger"
          onClick={onRevoke}
          blocked={blocked('users:update')}
          aria-label={`Revoke ${formatRole(grant)} from ${formatHolder(grant)}`}
        >
          Revoke
        </Button>
      )}
    </li>
  )
}

const Revoke = ({ grant, onClose }: { readonly grant: Grant; readonly onClose: () => void }) => (
  <ActionDialog
    title={`Revoke ${formatRole(grant)} from ${formatHolder(grant)}?`}
    action="Revoke"
    isDanger
    run={() => api.grants.delete({ id: grant.id })}
    done={`Revoked ${formatRole(grant)} from ${formatHolder(grant)}`}
    note={createUndoOfRevocation(grant)}
    changes={RIGHTS_CHANGES}
    onClose={onClose}
  >
    {grant.group_id === null
      ? `${grant.username} loses the permissions of this role, at once, unless another grant gives them.`
      : 'Its members lose the permissions of this role, at once, unless another grant gives them.'}
  </ActionDialog>
)

type Props = {
  readonly title: string
  readonly filter: GrantFilter
  readonly show: Show
  readonly given?: Given | undefined
  /** Shown without grants. */
  readonly empty: string
  /** A line below the grants. */
  readonly note?: string
}

export const GrantsCard = ({ title, filter, show, given, empty, note }: Props) => {
  const { blocked } = usePermit()
  const { data, error, refetch } = usePermitted('users:list', grantsQuery(filter))
  const [isGranting, setGranting] = useState(false)
  const [revoked, setRevoked] = useState<Grant>()
  const [isWhole, setWhole] = useState(false)
  const grants = data?.toSorted(show.role ? compareByRole : compareByHolder)
  const isScoped = grants?.some(({ scope_id }) => scope_id !== null) === true
  const hasScope = show.scope === 'always' || (show.scope === 'auto' && isScoped)
  const shown = isWhole ? grants : grants?.slice(0, MOST)
  return (
    <Card
      title={grants ? `${title} · ${formatCount(grants.length)}` : title}
      actions={
        given && (
          <Button
            onClick={() => setGranting(true)}
            blocked={blocked('users:update') ?? (given.role ? undefined : blocked('roles:list'))}
          >
            <Plus size={15} aria-hidden="true" />
            {given.holder ? 'Add a role' : given.role ? 'Grant it' : 'Grant a role'}
          </Button>
        )
      }
    >
      {error && !data ? (
        blocked('users:list') === undefined ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <p className="muted">
            To see them needs the permission <code className="mono">users:list</code>.
          </p>
        )
      ) : null}
      {!data && !error && <Skeleton />}
      {grants?.length === 0 && <p className="muted">{empty}</p>}
      <ul>
        {shown?.map((grant) => (
          <Row key={grant.id} grant={grant} show={show} hasScope={hasScope} onRevoke={() => setRevoked(grant)} />
        ))}
      </ul>
      {grants && shown && grants.length > shown.length && (
        <Button onClick={() => setWhole(true)}>Show all {formatCount(grants.length)}</Button>
      )}
      {note !== undefined && <p className={css.note}>{note}</p>}
      {given && isGranting && <GrantDialog given={given} onClose={() => setGranting(false)} />}
      <AdminQuestion />
      {revoked && <Revoke grant={revoked} onClose={() => setRevoked(undefined)} />}
    </Card>
  )
}
