/** The queries of kinds and of their objects. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import { buildListQuery } from '../resource/facts/lists.ts'

export type Kind = Out<Contracts['kinds']['get']>
export type KindObject = Out<Contracts['objects']['get']>

/** In the order of the sidebar. */
export const kindsQuery = buildListQuery('kinds')

/** The kinds with the number of their objects, and their fields. */
export const usageQuery = queryOptions({
  queryKey: ['kinds', 'usage'],
  queryFn: () => api.kinds.list({ include: ['usage', 'fields'] }),
})

export const objectsQuery = (kindId: string) =>
  queryOptions({ queryKey: ['objects', kindId], queryFn: () => api.objects.list({ kind_id: kindId }) })

export const objectQuery = (id: string) =>
  queryOptions({ queryKey: ['object', id], queryFn: () => api.objects.get({ id }) })

/** The objects above an object, the highest first. */
export const aboveQuery = ({ id, parent_id }: Pick<KindObject, 'id' | 'parent_id'>) =>
  queryOptions({
    queryKey: ['object', id, 'above', parent_id],
    queryFn: async () => {
      const above: KindObject[] = []
      for (let next = parent_id; next !== null && above.every((one) => one.id !== next); ) {
        const object = await queryClient.fetchQuery(objectQuery(next))
        above.unshift(object)
        next = object.parent_id
      }
      return above
    },
  })
