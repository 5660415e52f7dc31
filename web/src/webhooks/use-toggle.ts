/** Switches a webhook on or off. Updates the page at once, and reverts if the server refuses. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { toastError } from '../ui/toast.tsx'
import { type Webhook, webhookQuery, webhooksQuery } from './queries.ts'

export const useToggleWebhook = () => {
  const client = useQueryClient()
  const { queryKey } = webhooksQuery
  const show = (changed: Webhook) =>
    client.setQueryData(queryKey, (all) => all?.map((one) => (one.id === changed.id ? changed : one)))
  return useMutation({
    mutationFn: ({ id, enabled }: Webhook) => api.webhooks.update({ id, enabled: !enabled }),
    onMutate: async (webhook) => {
      await client.cancelQueries({ queryKey })
      show({ ...webhook, enabled: !webhook.enabled })
    },
    onSuccess: (saved) => {
      show(saved)
      void client.invalidateQueries({ queryKey: webhookQuery(saved.id).queryKey })
      void client.invalidateQueries({ queryKey: ['dashboard'] })
    },
    onError: (error, webhook) => {
      show(webhook)
      toastError(`${webhook.name} is as it was`, error)
    },
  })
}
