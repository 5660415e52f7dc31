/** Why the reader may not change a webhook: it takes the permission of each of its events. */
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useMe } from '../shell/me.ts'
import { eventsQuery, type Webhook } from './queries.ts'

const EDIT = 'webhook:update'

/** @returns a function that is the same while the reader's permissions are; it answers undefined where the change is allowed */
export const useEditBlock = (): ((webhook: Pick<Webhook, 'events'> | undefined) => string | undefined) => {
  const { permissions } = useMe()
  const { data } = useQuery({ ...eventsQuery, enabled: permissions.includes('webhook:list') })
  return useCallback(
    (webhook) => {
      const own = data?.filter(({ name }) => webhook?.events.includes(name)) ?? []
      const lacking = [EDIT, ...own.map(({ permission }) => permission)].find((one) => !permissions.includes(one))
      return lacking && `Needs the permission ${lacking}`
    },
    [data, permissions],
  )
}
