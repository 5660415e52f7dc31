/** The events that wait for the next message of a webhook, when it goes, and a button that sends it now. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatMoment, plural } from '../../ui/format.ts'
import { Card, Skeleton, TimeAgo } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { Countdown } from '../delivery-marks.tsx'
import { type Webhook, waitingQuery } from '../queries.ts'
import css from './notifications.module.css'

const MAX_LISTED = 20

const useFlush = ({ id }: Pick<Webhook, 'id'>) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.webhooks.flush({ id }),
    onSuccess: ({ delivery }) => {
      toast(delivery === null ? 'Nothing waits' : 'The message is on its way')
      void client.invalidateQueries({ queryKey: ['deliveries', id] })
    },
    onError: (error) => toastError('It is not sent', error),
  })
}

export const WaitingCard = ({ webhook }: { readonly webhook: Webhook }) => {
  const { data, error, refetch } = useQuery(waitingQuery(webhook.id))
  const { blocked } = usePermit()
  const flush = useFlush(webhook)
  if (!data && error)
    return (
      <Card title="Next message">
        <Failure error={error} onRetry={() => void refetch()} />
      </Card>
    )
  if (!data)
    return (
      <Card title="Next message">
        <Skeleton />
      </Card>
    )
  const { count, next_message_at, entries } = data
  const shown = entries.slice(0, MAX_LISTED)
  const isIdle = count === 0 && webhook.reports.length === 0
  return (
    <Card title="Next message">
      <div className={css.waiting}>
        <div className={css.waitingHead}>
          <span>
            {count === 0 ? 'No event waits.' : `${plural(count, 'event')} ${count === 1 ? 'waits' : 'wait'}.`}{' '}
            {next_message_at !== null && (
              <>
                The message goes <Countdown at={next_message_at} />{' '}
                <span className="muted">({formatMoment(next_message_at)})</span>
              </>
            )}
          </span>
          <Button
            onClick={() => flush.mutate()}
            disabled={flush.isPending || isIdle}
            blocked={blocked('webhook:update')}
          >
            Send now
          </Button>
        </div>
        {shown.length > 0 && (
          <ol className={css.entries}>
            {shown.map(({ event, resource_id, text, created_at }) => (
              <li key={`${resource_id} ${event} ${created_at} ${text}`}>
                <span>{text || <span className="muted">Withheld: it needs the permission for {event}</span>}</span>
                <span className="muted">
                  <TimeAgo at={created_at} />
                </span>
              </li>
            ))}
          </ol>
        )}
        {count > shown.length && shown.length > 0 && (
          <p className="muted">and {formatCount(count - shown.length)} more</p>
        )}
      </div>
    </Card>
  )
}
