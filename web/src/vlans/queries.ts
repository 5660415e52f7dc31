/** The list of VLANs, and the names of those of networks. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api/client.ts'
import { usePermit } from '../shell/me.ts'
import { type VlanNames, vlanNames } from './names.ts'

export const vlansQuery = queryOptions({ queryKey: ['vlans'], queryFn: () => api.vlans.list() })

/** Returns undefined without VLANs: then no page shows names. */
export const useVlanNames = (isEnabled = true): VlanNames | undefined => {
  const { may } = usePermit()
  const { data } = useQuery({ ...vlansQuery, enabled: isEnabled && may('vlans:list') })
  return useMemo(() => (data && data.length > 0 ? vlanNames(data) : undefined), [data])
}
