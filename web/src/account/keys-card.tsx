/** API keys of the signed-in user, of another user, or of a feed. A new one is shown once. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { api } from '../api/client.ts'
import type { ApiKey, NewApiKey } from '../api/contracts.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/layers.tsx'
import { Badge, Card, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import css from './account.module.css'
import { LimitNote } from './limit-note.tsx'
import { NewKeyDialog, ShownOnce } from './new-key.tsx'

const RotateKeyDialog = lazy(() => import('./rotate-key.tsx').then((module) => ({ default: module.RotateKeyDialog })))

type Filter = { readonly user_id: string } | { readonly feed_id: string }

const keyQuery = (filter: Filter) => ({
  queryKey: ['keys', filter],
  queryFn: () => api.keys.list(filter),
})

/** From when on a key that ends soon is pointed out. */
const SOON_MS = 14 * 24 * 3600 * 1000

export const Expiry = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <span className="muted">Does not expire</span>
  const leftMs = Date.parse(at) - Date.now()
  if (leftMs <= 0) return <Badge tone="bad">expired</Badge>
  return (
    <span>
      {leftMs < SOON_MS && <Badge tone="warn">soon</Badge>} Expires <TimeAgo at={at} />
    </span>
  )
}

/** Says how long the value before the last rotation opens. */
const PreviousValue = ({ until }: { readonly until: string | null }) =>
  until === null || Date.parse(until) <= Date.now() ? null : (
    <span className="muted">
      {' '}
      Old value ends <TimeAgo at={until} />
    </span>
  )

const feedsQuery = { queryKey: ['feeds'], queryFn: () => api.feeds.list() }

/** Says that a key opens a feed and nothing else. */
export const FeedNote = ({ feedId, tabIndex = 0 }: { readonly feedId: string; readonly tabIndex?: number }) => {
  const { may } = usePermit()
  const { data: feeds } = useQuery({ ...feedsQuery, enabled: may('feeds:list') })
  const name = feeds?.find(({ id }) => id === feedId)?.name
  return (
    <span className="muted">
      {' '}
      only for{' '}
      <Link to="/feeds/$id" params={{ id: feedId }} className="link" tabIndex={tabIndex}>
        {name === undefined ? 'a feed' : `the feed ${name}`}
      </Link>
    </span>
  )
}

type RowProps = {
  readonly apiKey: ApiKey
  readonly onDelete: () => void
  readonly onRotate: () => void
  readonly blocked: string | undefined
  readonly blockedRotation: string | undefined
  /** Names the owner of the key, or the feed that it opens. */
  readonly note: ReactNode
}

const Row = ({ apiKey, onDelete, onRotate, blocked, blockedRotation, note }: RowProps) => (
  <li className={css.row}>
    <span>
      <b>{apiKey.name}</b>
      {note}
      <LimitNote apiKey={apiKey} />
    </span>
    <span className="mono">{apiKey.prefix}…</span>
    <span>
      {apiKey.last_used_at === null ? (
        'Never used'
      ) : (
        <>
          Used <TimeAgo at={apiKey.last_used_at} />
          {apiKey.last_used_ip !== null && (
            <span className="muted">
              {' '}
              from <span className="mono">{apiKey.last_used_ip}</span>
            </span>
          )}
        </>
      )}
    </span>
    <span>
      <Expiry at={apiKey.expires_at} />
      {apiKey.created_by !== null && apiKey.created_by !== apiKey.user_id && (
        <span className="muted"> Created by another user</span>
      )}
      <PreviousValue until={apiKey.previous_expires_at} />
    </span>
    <span className={css.actions}>
      <Button onClick={onRotate} blocked={blockedRotation} aria-label={`Rotate the key ${apiKey.name}`}>
        Rotate
      </Button>
      <Button look="danger" onClick={onDelete} blocked={blocked} aria-label={`Delete the key ${apiKey.name}`}>
        Delete
      </Button>
    </span>
  </li>
)

type CardProps = {
  /** The owner of the keys, if it is another user. */
  readonly owner?: { readonly id: string; readonly username: string }
  /** Shows the keys of this feed, of all owners that the user may see. */
  readonly feed?: { readonly id: string }
  readonly onMade?: (key: NewApiKey) => void
}

export const KeysCard = ({ owner, feed, onMade }: CardProps) => {
  const me = useMe()
  const { blocked } = usePermit()
  const id = owner?.id ?? me.id
  const isOwn = id === me.id
  const client = useQueryClient()
  const query = keyQuery(feed ? { feed_id: feed.id } : { user_id: id })
  const isBlocked = ({ user_id }: ApiKey, permission: string) => (user_id === me.id ? undefined : blocked(permission))
  const { data, error, refetch } = useQuery(query)
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<NewApiKey>()
  const [rotating, setRotating] = useState<ApiKey>()
  const [pendingDelete, setPendingDelete] = useState<ApiKey>()
  const changed = () => client.invalidateQueries({ queryKey: ['keys'] })
  const remove = useMutation({
    mutationFn: (key: ApiKey) => api.keys.delete({ id: key.id }),
    onSuccess: (_, key) => {
      toast(`The key “${key.name}” is deleted`)
      return changed()
    },
    onError: (cause) => toastError('The key is still there', cause),
  })
  return (
    <Card
      title={feed ? 'Keys of this feed' : owner ? 'API keys' : 'Your API keys'}
      actions={
        <Button onClick={() => setMaking(true)} blocked={isOwn ? undefined : blocked('apikeys:create')}>
          <Plus size={15} aria-hidden="true" />
          New key
        </Button>
      }
    >
      {error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error && <Skeleton />}
      {data?.length === 0 && (
        <p className="muted">
          {feed
            ? 'None yet. A key of a feed opens its content and nothing else.'
            : `None yet. A key lets a script or the command line do what ${owner ? owner.username : 'you'} may do.`}
        </p>
      )}
      <ul className={css.rows}>
        {data?.map((key) => (
          <Row
            key={key.id}
            apiKey={key}
            onDelete={() => setPendingDelete(key)}
            onRotate={() => setRotating(key)}
            blocked={isBlocked(key, 'apikeys:delete')}
            blockedRotation={isBlocked(key, 'apikeys:create')}
            note={
              feed
                ? key.user_id !== me.id && <span className="muted"> of another user</span>
                : key.feed_id !== null && <FeedNote feedId={key.feed_id} />
            }
          />
        ))}
      </ul>
      {isMaking && (
        <NewKeyDialog
          owners={owner && [[owner.id, owner.username]]}
          feedId={feed?.id}
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false)
            setMade(key)
            onMade?.(key)
            void changed()
          }}
        />
      )}
      {made && <ShownOnce made={made} onClose={() => setMade(undefined)} />}
      {rotating && (
        <Suspense>
          <RotateKeyDialog apiKey={rotating} onClose={() => setRotating(undefined)} onRotated={setMade} />
        </Suspense>
      )}
      {pendingDelete && (
        <Confirm
          title={`Delete the key “${pendingDelete.name}”?`}
          action="Delete key"
          onConfirm={() => remove.mutate(pendingDelete)}
          onClose={() => setPendingDelete(undefined)}
        >
          Requests with it are refused from then on. This can't be undone.
        </Confirm>
      )}
    </Card>
  )
}
