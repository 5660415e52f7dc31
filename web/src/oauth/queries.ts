/** The queries of the OAuth pages. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const clientsQuery = queryOptions({ queryKey: ['oauth-clients'], queryFn: () => api.oauthClients.list() })

export const clientQuery = (id: string) =>
  queryOptions({ queryKey: ['oauth-clients', id], queryFn: () => api.oauthClients.get({ id }) })

/** Returns the grants of a client or of a user. */
export const grantsQuery = (of: { readonly client_id: string } | { readonly user_id: string }) =>
  queryOptions({ queryKey: ['oauth-grants', of], queryFn: () => api.oauthGrants.list(of) })

export const CHANGES = ['oauth-clients', 'oauth-grants']
