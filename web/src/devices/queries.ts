/** What is asked of the server about one device. */
import { queryOptions } from '@tanstack/react-query'
import { api, tagged } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'

export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id],
    queryFn: () => tagged(contracts.devices.get, { id }),
  })

/** Those that are active. */
export const deviceConflictsQuery = (id: string) =>
  queryOptions({
    queryKey: ['conflicts', 'device', id],
    queryFn: () => api.conflicts.ofDevice({ id, status: 'active' }),
  })

export const relationshipsQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'relationships'],
    queryFn: async () => {
      const [links, related] = await Promise.all([
        api.relationships.list({ device_id: id }),
        api.relationships.related({ device_id: id }),
      ])
      const names = new Map(related.map((one) => [one.id, one.name]))
      return links.map((link) => {
        const otherId = link.parent_id === id ? link.child_id : link.parent_id
        return { ...link, otherId, otherName: names.get(otherId) ?? otherId, isParent: link.parent_id === id }
      })
    },
  })
