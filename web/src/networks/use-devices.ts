/** The devices with an address in a network, asked for once for all that shows them. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { api } from '../api/client.ts'
import type { Device } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { MOST_DEVICES } from './devices-table.tsx'

export type NetworkDevices = Pick<UseQueryResult<readonly Device[]>, 'data' | 'error' | 'refetch'>

export const useNetworkDevices = (id: string, isWanted: boolean): NetworkDevices => {
  const { may } = usePermit()
  const isAllowed = may('devices:list')
  const query = useQuery({
    queryKey: ['network', id, 'devices'],
    queryFn: () => api.networks.devices({ id, limit: MOST_DEVICES }),
    enabled: isAllowed && isWanted,
  })
  return isAllowed ? query : { ...query, error: new AppError('FORBIDDEN', 'This needs the permission devices:list') }
}
