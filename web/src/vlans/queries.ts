/** The list of VLANs, and the names of the VLANs of networks. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { buildListQuery } from '../resource/facts/lists.ts'
import { useIsInUse } from '../shell/me.ts'
import { createVlanNames, type VlanNames } from './names.ts'

export const vlansQuery = buildListQuery('vlans')

/** Returns undefined without VLANs: then no page shows names. */
export const useVlanNames = (isEnabled = true): VlanNames | undefined => {
  const isInUse = useIsInUse('vlans')
  const { data } = useQuery({ ...vlansQuery, enabled: isEnabled && isInUse })
  return useMemo(() => (data && data.length > 0 ? createVlanNames(data) : undefined), [data])
}
