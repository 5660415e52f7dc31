/** What the pages of clients ask the server for. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const clientsQuery = queryOptions({ queryKey: ['oauth-clients'], queryFn: () => api.oauthClients.list() })

export const clientQuery = (id: string) =>
  queryOptions({ queryKey: ['oauth-clients', id], queryFn: () => api.oauthClients.get({ id }) })

/** Who has agreed to what, of one client or of one user. */
export const grantsQuery = (of: { readonly client_id: string } | { readonly user_id: string }) =>
  queryOptions({ queryKey: ['oauth-grants', of], queryFn: () => api.oauthGrants.list(of) })

export const CHANGES = ['oauth-clients', 'oauth-grants']
