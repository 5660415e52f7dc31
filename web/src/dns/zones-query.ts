/** All zones with their states. The page of a device reads them too. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const zonesQuery = queryOptions({ queryKey: ['dns-zones'], queryFn: () => api.dnsZones.list({}) })
