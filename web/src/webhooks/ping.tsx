/** Sends a test delivery and shows its result. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { Band } from '../resource/object/band.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { toastError } from '../ui/toast.tsx'
import { lastSuccessQuery, type Webhook } from './queries.ts'

export const usePing = ({ id }: Pick<Webhook, 'id'>) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.webhooks.ping({ id }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries', id] }),
    onError: (error) => toastError('It could not be tried', error),
  })
}

type Ping = ReturnType<typeof usePing>

export const PingResult = ({ ping }: { readonly ping: Ping }) => {
  const { set } = usePageSearch()
  const isFailed = ping.data !== undefined && ping.data.delivery.status !== 'success'
  const { data: success } = useQuery({
    ...lastSuccessQuery(ping.data?.delivery.webhook_id ?? ''),
    enabled: isFailed,
  })
  if (!ping.data) return null
  const { message, delivery } = ping.data
  const isGood = !isFailed
  // A later success shows that the receiver is there again.
  if (isFailed && success && success.created_at > delivery.created_at) return null
  return (
    <Band tone={isGood ? 'ok' : 'bad'} mark={isGood ? 'arrived' : 'failed'}>
      <span>
        {message}
        {delivery.duration_ms !== null && <span className="muted"> after {delivery.duration_ms} ms</span>}
      </span>
      <Button look="quiet" onClick={() => void set({ entry: delivery.id, tab: 'deliveries' })}>
        Show it
      </Button>
      <Button look="quiet" onClick={() => ping.reset()}>
        Dismiss
      </Button>
    </Band>
  )
}
