/** The second factors of the signed-in user. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { signInOptionsQuery } from '../login/options.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Confirm } from '../ui/layers.tsx'
import { Badge, Card, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import css from './account.module.css'
import { AddFactor } from './add-factor.tsx'
import { useFresh } from './fresh.tsx'
import { RecoveryDialog } from './recovery-dialog.tsx'

const factorsQuery = { queryKey: ['factors'], queryFn: () => api.factors.show() }

/** A factor to remove, or `codes` for new recovery codes. */
type Change =
  | { readonly kind: 'totp' | 'codes' }
  | { readonly kind: 'passkey'; readonly id: string; readonly name: string }

type RowProps = {
  readonly name: string
  readonly kind: ReactNode
  readonly createdAt: string
  readonly usedAt: string | null
  readonly onRemove: () => void
}

const Row = ({ name, kind, createdAt, usedAt, onRemove }: RowProps) => (
  <li className={css.row}>
    <b>{name}</b>
    <span>{kind}</span>
    <span>
      Added <TimeAgo at={createdAt} />
    </span>
    <span>
      {usedAt === null ? (
        'Never used'
      ) : (
        <>
          Used <TimeAgo at={usedAt} />
        </>
      )}
    </span>
    <Button look="danger" onClick={onRemove} aria-label={`Remove ${name}`}>
      Remove
    </Button>
  </li>
)

const TITLES = {
  totp: 'Remove the authenticator app?',
  passkey: 'Remove this passkey?',
  codes: 'Create new recovery codes?',
} as const

const TEXTS = {
  totp: 'Its codes are refused from then on. Delete the entry in the app as well.',
  passkey: 'It signs in no longer. Delete it on the device that keeps it as well.',
  codes: 'The old ones are void from then on.',
} as const

export const FactorsCard = () => {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(factorsQuery)
  const [pending, setPending] = useState<Change>()
  const [codes, setCodes] = useState<readonly string[]>([])
  const fresh = useFresh('Nothing was changed')
  const changed = () =>
    Promise.all([factorsQuery, signInOptionsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })))
  const change = useMutation({
    mutationFn: async (one: Change): Promise<readonly string[]> => {
      if (one.kind === 'codes') return (await api.factors.recoveryCodes({})).recovery_codes
      await (one.kind === 'passkey' ? api.factors.deletePasskey({ id: one.id }) : api.factors.deleteTotp({}))
      toast('The second factor is removed')
      return []
    },
    onSuccess: (made) => {
      setCodes(made)
      return changed()
    },
    onError: (cause, one) => fresh.onError(cause, () => change.mutate(one)),
  })
  const hasNone = data && !data.totp && data.passkeys.length === 0
  return (
    <Card title="Second factors">
      {error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error && <Skeleton />}
      {hasNone && (
        <p className="muted">
          None yet. With one, your password alone does not sign in. A passkey signs in without the password.
        </p>
      )}
      <ul className={css.rows}>
        {data?.totp && (
          <Row
            name="Authenticator app"
            kind="one-time codes"
            createdAt={data.totp.created_at}
            usedAt={data.totp.last_used_at}
            onRemove={() => setPending({ kind: 'totp' })}
          />
        )}
        {data?.passkeys.map(({ id, name, created_at, last_used_at, is_synced }) => (
          <Row
            key={id}
            name={name}
            kind={<>passkey {is_synced && <Badge tone="info">synced</Badge>}</>}
            createdAt={created_at}
            usedAt={last_used_at}
            onRemove={() => setPending({ kind: 'passkey', id, name })}
          />
        ))}
      </ul>
      {data && !hasNone && (
        <p className={css.codesLeft}>
          {plural(data.recovery_codes_left, 'recovery code')} left
          <Button look="quiet" onClick={() => setPending({ kind: 'codes' })}>
            Create new ones
          </Button>
        </p>
      )}
      {data && <AddFactor hasApp={data.totp !== null} onAdded={() => void changed()} onError={fresh.onError} />}
      {fresh.layer}
      {codes.length > 0 && <RecoveryDialog codes={codes} onClose={() => setCodes([])} />}
      {pending && (
        <Confirm
          title={TITLES[pending.kind]}
          action={pending.kind === 'codes' ? 'Create codes' : 'Remove'}
          onConfirm={() => change.mutate(pending)}
          onClose={() => setPending(undefined)}
        >
          {pending.kind === 'passkey' && <b>{pending.name}. </b>}
          {TEXTS[pending.kind]}
        </Confirm>
      )}
    </Card>
  )
}
