/** The names of the objects that fields refer to by their ids. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { HistoryItem } from '../api/contracts.ts'
import { datacentersQuery, networksQuery, poolsQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import type { Names } from './words.ts'

const NONE: readonly never[] = []

/** Requests a list only if a field refers to it. The items name themselves. */
export const useNames = (items: readonly HistoryItem[]): Names => {
  const { may } = usePermit()
  const text = useMemo(() => JSON.stringify(items.map(({ fields }) => fields)), [items])
  const isWanted = (field: string, permission: string) => text.includes(`"${field}":`) && may(permission)
  const { data: datacenters = NONE } = useQuery({
    ...datacentersQuery,
    enabled: isWanted('datacenter_id', 'datacenters:list'),
  })
  const { data: networks = NONE } = useQuery({ ...networksQuery, enabled: isWanted('network_id', 'networks:list') })
  const { data: pools = NONE } = useQuery({ ...poolsQuery, enabled: isWanted('pool_id', 'pools:list') })
  return useMemo(
    () => new Map([...datacenters, ...networks, ...pools, ...items].map(({ id, name }) => [id, name])),
    [datacenters, networks, pools, items],
  )
}

/** As `useNames`, for a list in which only the fields of updates are open. */
export const useShownNames = (items: readonly HistoryItem[]): Names => {
  const own = useMemo(() => new Map(items.map(({ id, name }) => [id, name])), [items])
  const shown = useMemo(() => items.filter(({ change }) => change === 'update'), [items])
  const names = useNames(shown)
  return useMemo(() => new Map([...own, ...names]), [own, names])
}
