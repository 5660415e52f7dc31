/** The queries of the access pages. */
import { queryOptions } from '@tanstack/react-query'
import { api, callTagged } from '../api/client.ts'
import { type Contracts, contracts, type In } from '../api/contracts.ts'

/** First parts of the query keys that depend on users and on their rights. */
export const RIGHTS_CHANGES = [
  'users',
  'user',
  'roles',
  'role',
  'groups',
  'group',
  'grants',
  'scopes',
  'scope',
  'keys',
  'sessions',
  'me',
] as const

export const userQuery = (id: string) =>
  queryOptions({ queryKey: ['user', id], queryFn: () => callTagged(contracts.users.get, { id }) })

export const userPermissionsQuery = (id: string) =>
  queryOptions({ queryKey: ['user', id, 'permissions'], queryFn: () => api.users.permissions({ id }) })

export const rolesQuery = queryOptions({ queryKey: ['roles'], queryFn: () => api.roles.list() })

export const roleQuery = (id: string) =>
  queryOptions({ queryKey: ['role', id], queryFn: () => callTagged(contracts.roles.get, { id }) })

export const groupsQuery = queryOptions({ queryKey: ['groups'], queryFn: () => api.groups.list() })

/** Returns the groups of a user. */
export const groupsOfQuery = (userId: string) =>
  queryOptions({ queryKey: ['groups', { user: userId }], queryFn: () => api.groups.list({ user_id: userId }) })

export const groupQuery = (id: string) =>
  queryOptions({ queryKey: ['group', id], queryFn: () => callTagged(contracts.groups.get, { id }) })

export const membersQuery = (id: string) =>
  queryOptions({ queryKey: ['group', id, 'members'], queryFn: () => api.groups.members({ id }) })

export const scopesQuery = queryOptions({ queryKey: ['scopes'], queryFn: () => api.scopes.list() })

/** All scopes, with the number of objects in each. */
export const countedScopesQuery = queryOptions({
  queryKey: ['scopes', 'counts'],
  queryFn: () => api.scopes.list({ include: ['counts'] }),
})

export const scopeQuery = (id: string) =>
  queryOptions({ queryKey: ['scope', id], queryFn: () => callTagged(contracts.scopes.get, { id }) })

export const scopeCountsQuery = (id: string) =>
  queryOptions({ queryKey: ['scope', id, 'counts'], queryFn: () => api.scopes.counts({ id }) })

export type GrantFilter = Pick<
  In<Contracts['grants']['list']>,
  'user_id' | 'group_id' | 'role_id' | 'scope_id' | 'effective'
>

/** Returns the grants of one user, group, role or scope; all of them without a filter. */
export const grantsQuery = (filter: GrantFilter = {}) =>
  queryOptions({ queryKey: ['grants', filter], queryFn: () => api.grants.list(filter) })

export const ssoProvidersQuery = queryOptions({ queryKey: ['sso-providers'], queryFn: () => api.ssoProviders.list() })

/** Changes only with an upgrade of the server. */
export const catalogueQuery = queryOptions({
  queryKey: ['permissions'],
  queryFn: () => api.roles.permissions(),
  staleTime: Number.POSITIVE_INFINITY,
})

export const keysQuery = queryOptions({ queryKey: ['keys'], queryFn: () => api.keys.list() })

export const credentialsQuery = queryOptions({ queryKey: ['credentials'], queryFn: () => api.credentials.list() })
