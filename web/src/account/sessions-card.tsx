/** Where one is signed in. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Session } from '../api/contracts.ts'
import { Button } from '../ui/button.tsx'
import { Badge, Card, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import css from './account.module.css'

/** Returns the sessions of another user, or one's own. */
const sessionsQuery = (userId: string | undefined) => ({
  queryKey: ['sessions', ...(userId === undefined ? [] : [userId])],
  queryFn: () => api.sessions.list(userId === undefined ? {} : { user_id: userId }),
})

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chromium'],
  [/Safari\//, 'Safari'],
] as const

const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const

/** @example describeBrowser('Mozilla/5.0 (X11; Linux x86_64) ... Firefox/140.0') // 'Firefox on Linux' */
const describeBrowser = (userAgent: string): string => {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (!browser) return userAgent.slice(0, 60) || 'Unknown'
  return system ? `${browser} on ${system}` : browser
}

const Row = ({ session }: { readonly session: Session }) => {
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: () => api.sessions.delete({ id: session.id }),
    onSuccess: () => {
      toast('That session is ended')
      return client.invalidateQueries({ queryKey: ['sessions'] })
    },
    onError: (error) => toastError('The session could not be ended', error),
  })
  return (
    <tr>
      <th scope="row" title={session.user_agent}>
        {describeBrowser(session.user_agent)}
      </th>
      <td className="mono">{session.ip_address || '–'}</td>
      <td>
        <TimeAgo at={session.created_at} />
        {session.method === 'sso' && ' by single sign-on'}
        {session.method === 'passkey' && ' with a passkey'}
      </td>
      <td>
        <TimeAgo at={session.last_seen_at} />
      </td>
      <td>
        {session.is_current ? (
          <Badge tone="ok">this one</Badge>
        ) : (
          <Button look="danger" onClick={() => end.mutate()} disabled={end.isPending}>
            End
          </Button>
        )}
      </td>
    </tr>
  )
}

const HEADS = ['Browser', 'Address', 'Signed in', 'Seen'] as const

type CardProps = {
  /** One's own without it. */
  readonly userId?: string
  readonly title?: string
}

export const SessionsCard = ({ userId, title = 'Your sessions' }: CardProps) => {
  const { data, error, refetch } = useQuery(sessionsQuery(userId))
  return (
    <Card title={title}>
      {error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error && <Skeleton />}
      {data?.length === 0 && <p className="muted">No sessions.</p>}
      {data && data.length > 0 && (
        <table className={css.sessions}>
          <thead>
            <tr>
              {HEADS.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
              <th scope="col">
                <span className="sr">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((session) => (
              <Row key={session.id} session={session} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
