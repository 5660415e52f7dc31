/** Active grants, one row each, with a button that ends them. */
import { useState } from 'react'
import { ActionDialog } from '../access/action-dialog.tsx'
import { api } from '../api/client.ts'
import type { OauthGrant } from '../api/contracts.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import css from './clients.module.css'
import { CHANGES } from './queries.ts'
import { ScopeLines } from './scope-lines.tsx'

type RowProps = {
  readonly grant: OauthGrant
  readonly title: string
  readonly blocked: string | undefined
  readonly onEnd: () => void
}

const Row = ({ grant: { scope, created_at, last_used_at }, title, blocked, onEnd }: RowProps) => (
  <li className={css.grant}>
    <b className={css.grantName}>
      <bdi>{title}</bdi>
    </b>
    <Button look="danger" onClick={onEnd} blocked={blocked} aria-label={`End access of ${title}`}>
      End access
    </Button>
    <p className={css.grantFacts}>
      <span>
        Agreed <TimeAgo at={created_at} />
      </span>
      <span>
        {last_used_at === null ? (
          'Never used'
        ) : (
          <>
            Used <TimeAgo at={last_used_at} />
          </>
        )}
      </span>
    </p>
    <details className={css.details}>
      <summary>{plural(scope.split(' ').filter((name) => name !== '').length, 'permission')}</summary>
      <ScopeLines scope={scope} />
    </details>
  </li>
)

type Props = {
  readonly grants: readonly OauthGrant[]
  /** The title of a row: the user in the list of a client, or the client in the list of a user. */
  readonly getTitle: (grant: OauthGrant) => string
  readonly blockedFor: (grant: OauthGrant) => string | undefined
}

export const GrantRows = ({ grants, getTitle, blockedFor }: Props) => {
  const [pendingDelete, setPendingDelete] = useState<OauthGrant>()
  return (
    <>
      <ul className={css.grants}>
        {grants.map((grant) => (
          <Row
            key={grant.id}
            grant={grant}
            title={getTitle(grant)}
            blocked={blockedFor(grant)}
            onEnd={() => setPendingDelete(grant)}
          />
        ))}
      </ul>
      {pendingDelete && (
        <ActionDialog
          title={`End the access of “${pendingDelete.client_name}”?`}
          action="End access"
          isDanger
          run={() => api.oauthGrants.delete({ id: pendingDelete.id })}
          done={`“${pendingDelete.client_name}” has no access any more for ${pendingDelete.username}`}
          changes={CHANGES}
          onClose={() => setPendingDelete(undefined)}
        >
          It has no more access for <b>{pendingDelete.username}</b> from then on. It may ask again, and{' '}
          {pendingDelete.username} may agree again.
        </ActionDialog>
      )}
    </>
  )
}
