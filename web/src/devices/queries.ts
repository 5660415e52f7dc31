/** The queries of one device. */
import { queryOptions } from '@tanstack/react-query'
import { api, callTagged } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'

export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id],
    queryFn: () => callTagged(contracts.devices.get, { id }),
  })

/** Returns the active conflicts of a device. */
export const deviceConflictsQuery = (id: string) =>
  queryOptions({
    queryKey: ['conflicts', 'device', id],
    queryFn: () => api.conflicts.ofDevice({ id, status: 'active' }),
  })

export const relationshipsQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'relationships'],
    queryFn: async () => {
      const links = await api.relationships.list({ device_id: id, include: 'names' })
      return links.map(({ parent_name, child_name, ...link }) => {
        const isParent = link.parent_id === id
        const otherId = isParent ? link.child_id : link.parent_id
        return { ...link, otherId, otherName: (isParent ? child_name : parent_name) ?? otherId, isParent }
      })
    },
  })
