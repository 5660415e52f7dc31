/** The ports of a device, one port, and the path from it. */
import { queryOptions } from '@tanstack/react-query'
import { api, callTagged } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'

/** Returns the ports of a device with the other ends of their cables. */
export const devicePortsQuery = (deviceId: string) =>
  queryOptions({
    queryKey: ['ports', 'of', deviceId],
    queryFn: () => api.ports.device({ device_id: deviceId, include: 'peers' }),
  })

export const portQuery = (id: string) =>
  queryOptions({ queryKey: ['ports', 'one', id], queryFn: () => callTagged(contracts.ports.get, { id }) })

export const traceQuery = (id: string) =>
  queryOptions({ queryKey: ['cables', 'trace', id], queryFn: () => api.cables.trace({ id }) })

/** First parts of the keys of the queries that show ports or cables. The first object adds to the pages of the user. */
export const CHANGES = ['ports', 'cables', 'me']
