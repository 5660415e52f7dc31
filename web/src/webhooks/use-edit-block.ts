/** Returns why the caller may not change a webhook: that needs the permission of each of its events. */
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useMe } from '../shell/me.ts'
import { eventsQuery, type Webhook } from './queries.ts'

const EDIT = 'webhook:update'

/** @returns a stable function while the permissions are unchanged. It returns undefined if the change is permitted */
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
