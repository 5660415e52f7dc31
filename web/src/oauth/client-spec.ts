/** How OAuth clients are searched and sorted, and their labels. */

import { toSortKey } from '../../../src/net/name-order.ts'
import { api, callTagged, write } from '../api/client.ts'
import { contracts, type OauthClient } from '../api/contracts.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'

/** Returns the redirect hosts, each once. */
export const listHosts = ({ redirect_uris }: Pick<OauthClient, 'redirect_uris'>): readonly string[] => [
  ...new Set(redirect_uris.map((uri) => (URL.canParse(uri) ? new URL(uri).host : uri))),
]

const listStates = ({ grant_count, last_used_at, is_confidential }: OauthClient): readonly string[] => [
  grant_count > 0 ? 'trusted' : 'unused',
  ...(last_used_at === null ? ['idle'] : []),
  is_confidential ? 'confidential' : 'public',
]

export const clientSpec: TableSpec<OauthClient> = {
  id: ({ id }) => id,
  text: (client) => [client.client_name, client.client_id, ...client.redirect_uris].join('\n'),
  sorts: {
    name: ({ client_name }) => toSortKey(client_name),
    grants: ({ grant_count }) => grant_count,
    used: ({ last_used_at }) => last_used_at ?? '',
    created: ({ created_at }) => created_at,
  },
  fields: {
    host: (client, value) => listHosts(client).some((host) => host.startsWith(value)),
    is: (client, value) => listStates(client).includes(value),
  },
  facets: { host: listHosts, is: listStates },
}

/** Clients register themselves. The UI shows and deletes them. */
export const clientResource: Resource<OauthClient> = {
  noun: 'client',
  fields: [],
  getName: ({ client_name }) => client_name,
  operations: contracts.oauthClients,
  get: (id) => callTagged(contracts.oauthClients.get, { id }),
  create: async () => {
    throw new Error('clients register themselves')
  },
  update: (id) => api.oauthClients.get({ id }),
  remove: (id) => write(contracts.oauthClients.delete, { id }),
  changes: ['oauth-clients', 'oauth-grants'],
}
