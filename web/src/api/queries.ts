/** The shared queries, with their cache keys and lifetimes. */
import { hashKey, QueryClient, queryOptions } from '@tanstack/react-query'
import { withNestedUse } from '../networks/known-use.ts'
import { buildListQuery } from '../resource/facts/lists.ts'
import { asOf } from './as-of.ts'
import { api } from './client.ts'
import type { Me } from './contracts.ts'
import { toAppError } from './errors.ts'
import { held } from './proposing.ts'

const RETRIED = new Set(['UNAVAILABLE', 'RATE_LIMIT_EXCEEDED'])

/** First parts of the keys of queries with the same answers at each moment. */
const OF_NOW = new Set(['me', 'proposals', 'proposal'])

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 20_000,
      gcTime: 10 * 60_000,
      // Requests without an answer are retried with exponential backoff. Errors that the server answered are not.
      retry: (failures, error) => failures < 6 && RETRIED.has(toAppError(error).code),
      retryDelay: (failures) => Math.min(1000 * 2 ** failures, 15_000),
      networkMode: 'always',
      // Each moment has its own data. The user and the proposals are of now.
      queryKeyHashFn: (key) => hashKey(OF_NOW.has(String(key[0])) ? key : [asOf.get(), key]),
    },
    mutations: { networkMode: 'always' },
  },
})

/** The ways to sign in, which the page asks for that opens after signing out. */
export const SIGN_IN_OPTIONS = 'sign-in options'

/** Forgets all data of the user who has signed out. */
export const clearUserData = (): void => {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SIGN_IN_OPTIONS })
  queryClient.getMutationCache().clear()
}

export const loadMe = async (): Promise<Me> => {
  const me = await api.sessions.me()
  held.set(me.permissions)
  return me
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: loadMe,
  staleTime: 60_000,
})

export const datacentersQuery = buildListQuery('datacenters')

export const deviceTypesQuery = buildListQuery('device-types')

export const networksQuery = queryOptions({
  ...buildListQuery('networks'),
  select: withNestedUse,
})

export const poolsQuery = buildListQuery('pools')

export const reservationsQuery = buildListQuery('reservations')

/** The active conflicts with the devices or networks that they are about. */
export const conflictsQuery = queryOptions({
  queryKey: ['conflicts'],
  queryFn: () => api.conflicts.list({ status: 'active' }),
})

/** The data of the overview, in one response. */
export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: () => api.dashboard.show(),
})

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: () => api.users.list(),
})

/** The version and the configuration of the server. */
export const serverConfigQuery = queryOptions({
  queryKey: ['server-config'],
  queryFn: () => api.system.config(),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Counts the items of the inbox by bucket, of one network or of all. */
export const inboxCountsQuery = (networkId?: string) =>
  queryOptions({
    queryKey: ['inbox', 'counts', networkId],
    queryFn: () => api.inbox.summary(networkId === undefined ? {} : { network_id: networkId }),
    staleTime: 3000,
  })
