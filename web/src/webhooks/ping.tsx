/** Sends a test delivery and shows its result. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { api } from '../api/client.ts'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Badge } from '../ui/primitives.tsx'
import { toastError } from '../ui/toast.tsx'
import type { Webhook } from './queries.ts'
import css from './webhooks.module.css'

export const usePing = ({ id }: Pick<Webhook, 'id'>) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.webhooks.ping({ id }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries', id] }),
    onError: (error) => toastError('It could not be tried', error),
  })
}

type Ping = ReturnType<typeof usePing>

export const PingButton = ({ ping }: { readonly ping: Ping }) => {
  const { blocked } = usePermit()
  return (
    <Button onClick={() => ping.mutate()} disabled={ping.isPending} blocked={blocked('webhook:update')}>
      <Zap size={15} aria-hidden="true" />
      {ping.isPending ? 'Waiting …' : 'Ping'}
    </Button>
  )
}

export const PingResult = ({ ping }: { readonly ping: Ping }) => {
  const { set } = usePageSearch()
  if (!ping.data) return null
  const { message, delivery } = ping.data
  const isGood = delivery.status === 'success'
  return (
    <div role="status" className={css.result} data-tone={isGood ? 'ok' : 'bad'}>
      <Badge tone={isGood ? 'ok' : 'bad'}>{isGood ? 'arrived' : 'failed'}</Badge>
      <span>
        {message}
        {delivery.duration_ms !== null && <span className="muted"> after {delivery.duration_ms} ms</span>}
      </span>
      <Button look="quiet" onClick={() => void set({ entry: delivery.id, tab: undefined })}>
        Show it
      </Button>
      <Button look="quiet" onClick={() => ping.reset()}>
        Dismiss
      </Button>
    </div>
  )
}
