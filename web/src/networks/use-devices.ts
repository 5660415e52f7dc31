/** The devices with an address in a network, asked for once for all that shows them. */
import { api } from '../api/client.ts'
import { usePermitted } from '../shell/me.ts'
import { MOST_DEVICES } from './devices-table.tsx'

export type NetworkDevices = ReturnType<typeof useNetworkDevices>

export const useNetworkDevices = (id: string, isWanted: boolean) =>
  usePermitted('devices:list', {
    queryKey: ['network', id, 'devices'],
    queryFn: () => api.networks.devices({ id, limit: MOST_DEVICES }),
    enabled: isWanted,
  })
