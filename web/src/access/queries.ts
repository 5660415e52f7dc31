/** The queries of the access pages. */
import { queryOptions } from '@tanstack/react-query'
import { api, tagged } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'

export const userQuery = (id: string) =>
  queryOptions({ queryKey: ['user', id], queryFn: () => tagged(contracts.users.get, { id }) })

export const userPermissionsQuery = (id: string) =>
  queryOptions({ queryKey: ['user', id, 'permissions'], queryFn: () => api.users.permissions({ id }) })

export const rolesQuery = queryOptions({ queryKey: ['roles'], queryFn: () => api.roles.list() })

export const roleQuery = (id: string) =>
  queryOptions({ queryKey: ['role', id], queryFn: () => tagged(contracts.roles.get, { id }) })

/** Changes only with an upgrade of the server. */
export const catalogueQuery = queryOptions({
  queryKey: ['permissions'],
  queryFn: () => api.roles.permissions(),
  staleTime: Number.POSITIVE_INFINITY,
})

export const keysQuery = queryOptions({ queryKey: ['keys'], queryFn: () => api.keys.list() })

export const credentialsQuery = queryOptions({ queryKey: ['credentials'], queryFn: () => api.credentials.list() })
