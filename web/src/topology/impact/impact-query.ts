/** The query of an impact. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

export type NamedIds = {
  readonly device_ids?: string[]
  readonly datacenter_ids?: string[]
  readonly network_ids?: string[]
}

export const impactQuery = (ids: NamedIds) =>
  queryOptions({
    queryKey: ['impact', ids],
    queryFn: () => api.impact.preview(ids),
  })
