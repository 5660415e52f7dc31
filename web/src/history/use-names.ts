/** The names of the objects that fields refer to by their ids. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api/client.ts'
import type { HistoryItem } from '../api/contracts.ts'
import { datacentersQuery, deviceTypesQuery, networksQuery, poolsQuery } from '../api/queries.ts'
import { racksQuery } from '../racks/known-racks.ts'
import { usePermit } from '../shell/me.ts'
import type { Names } from './labels.ts'
import { useReferredNames } from './use-custom-words.ts'

const NONE: readonly never[] = []

/** Maximum number of names to request for ports and cables. Their lists are too long to request. */
const MOST_CABLED = 20

type CabledIds = Readonly<Record<'ports' | 'devices', readonly string[]>>

/** Finds the ids of ports and devices in ports and cables. */
const collectCabledIds = (items: readonly HistoryItem[]): CabledIds => {
  const cabled = items.filter(({ kind }) => kind === 'port' || kind === 'cable')
  const text = JSON.stringify(cabled.map(({ fields }) => fields))
  const listIds = (field: string) => {
    const found = text.matchAll(new RegExp(`"${field}":(?:\\{"from":null,"to":)?"([^"]+)"`, 'g'))
    return [...new Set([...found].map(([, id = '']) => id))].slice(0, MOST_CABLED)
  }
  return { ports: [...listIds('port_id'), ...listIds('parent_id')], devices: listIds('device_id') }
}

type Named = { readonly id: string; readonly name: string }

/** Returns the names of ports, with that of their device, and of devices. A deleted one keeps its id. */
const cabledQuery = ({ ports, devices }: CabledIds) => ({
  queryKey: ['names', ports, devices],
  queryFn: async (): Promise<readonly Named[]> => {
    const found = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined)
    const known = (await Promise.all(ports.map((id) => found(api.ports.get({ id }))))).filter(
      (one) => one !== undefined,
    )
    const owners = [...new Set([...devices, ...known.map(({ device_id }) => device_id)])]
    const named = (await Promise.all(owners.map((id) => found(api.devices.get({ id }))))).filter(
      (one) => one !== undefined,
    )
    const getDeviceName = (id: string) => named.find((device) => device.id === id)?.name ?? ''
    return [
      ...named.map(({ id, name }) => ({ id, name })),
      ...known.map(({ id, device_id, name }) => ({ id, name: `${getDeviceName(device_id)} ${name}`.trim() })),
    ]
  },
})

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
  const { data: racks = NONE } = useQuery({ ...racksQuery, enabled: isWanted('mount', 'racks:list') })
  const { data: types = NONE } = useQuery({
    ...deviceTypesQuery,
    enabled: isWanted('device_type_id', 'device-types:list'),
  })
  const ids = useMemo(() => collectCabledIds(items), [items])
  const isCabled = ids.ports.length + ids.devices.length > 0 && may('ports:read')
  const { data: cabled = NONE } = useQuery({ ...cabledQuery(ids), enabled: isCabled })
  const referred = useReferredNames(items)
  return useMemo(() => {
    const all = [...datacenters, ...networks, ...pools, ...racks, ...types, ...items, ...cabled]
    return new Map([...referred, ...all.map(({ id, name }) => [id, name] as const)])
  }, [datacenters, networks, pools, racks, types, items, cabled, referred])
}

/** Like `useNames`, for a list in which only the fields of updates are open. */
export const useShownNames = (items: readonly HistoryItem[]): Names => {
  const own = useMemo(() => new Map(items.map(({ id, name }) => [id, name])), [items])
  const shown = useMemo(() => items.filter(({ change }) => change === 'update'), [items])
  const names = useNames(shown)
  return useMemo(() => new Map([...own, ...names]), [own, names])
}
