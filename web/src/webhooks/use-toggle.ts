/** Switches a webhook on and off: at once here, and back if the server says no. */
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
