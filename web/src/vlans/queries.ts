/** The list of VLANs, and the names of the VLANs of networks. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listParents } from '../../../src/inventory/vlans/vlan-scope.ts'
import { datacentersQuery } from '../api/queries.ts'
import { buildListQuery } from '../resource/facts/lists.ts'
import { useIsInUse, usePermitted } from '../shell/me.ts'
import { createVlanNames, type VlanNames } from './names.ts'

const NONE: readonly never[] = []

export const vlansQuery = buildListQuery('vlans')

/** Returns undefined without VLANs: then no page shows names. */
export const useVlanNames = (isEnabled = true): VlanNames | undefined => {
  const isInUse = useIsInUse('vlans')
  const { data } = useQuery({ ...vlansQuery, enabled: isEnabled && isInUse })
  const hasVlans = data !== undefined && data.length > 0
  const { data: datacenters = NONE } = usePermitted('datacenters:list', { ...datacentersQuery, enabled: hasVlans })
  return useMemo(
    () => (hasVlans ? createVlanNames(data, listParents(datacenters)) : undefined),
    [hasVlans, data, datacenters],
  )
}
