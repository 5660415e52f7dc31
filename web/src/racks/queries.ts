/** The queries of racks. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The keys of the queries that a change of a rack or of a place in one affects. The first rack changes the sidebar. */
export const CHANGES = ['racks', 'rack', 'device', 'me']

export const elevationQuery = (id: string) =>
  queryOptions({
    queryKey: ['rack', id, 'elevation'],
    queryFn: () => api.racks.elevation({ id }),
  })
