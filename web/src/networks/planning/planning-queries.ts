/** The queries of planning, and the caches that its writes change. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

/** Returns the space of a network. */
export const treeQuery = (id: string) =>
  queryOptions({ queryKey: ['networks', 'tree', id], queryFn: () => api.networks.tree({ id }) })

/** Returns the lowest free subnet of a length. */
export const nextSubnetQuery = (id: string, prefix_length: number) =>
  queryOptions({
    queryKey: ['networks', 'next-subnet', id, prefix_length],
    queryFn: async () => (await api.networks.nextSubnet({ id, prefix_length })).subnets[0] ?? '',
    retry: false,
  })

/** Reads again all that an allocation, a split or a merge may change. */
export const refreshNetworks = (client: QueryClient): void => {
  for (const key of [
    'networks',
    'network',
    'pools',
    'pool',
    'devices',
    'device',
    'reservations',
    'conflicts',
    'history',
  ])
    void client.invalidateQueries({ queryKey: [key] })
}
