/** The table of devices as React follows it. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { datacentersQuery, deviceTypesQuery } from '../../api/queries.ts'
import { useStore } from '../../api/store.ts'
import { racksQuery, useHasRacks } from '../../racks/known-racks.ts'
import { useIsInUse, usePermit } from '../../shell/me.ts'
import type { TableQuery } from '../../table/engine.ts'
import type { TableView } from '../../table/view.ts'
import { createRowMapper, type DeviceRow } from '../column-spec.ts'
import { type DeviceResult, devices, type Preview } from './device-list-client.ts'
import type { DevicesView } from './windowed-state.ts'

/**
 * Gives the worker the names of the datacenters, if the user may see them. Adds the names of racks and device types if they are shown or
 * filtered by. @param parts the ids of the shown columns, the order and the words of the filter
 */
export const useNames = (parts: readonly string[] = []): void => {
  const { may } = usePermit()
  const isNeeded = (id: string) => parts.some((part) => part === id || part.startsWith(`${id}:`))
  const [hasRacks, hasTypes] = [useHasRacks(), useIsInUse('device-types')]
  const places = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const racks = useQuery({ ...racksQuery, enabled: hasRacks && isNeeded('rack') && may('racks:list') })
  const types = useQuery({
    ...deviceTypesQuery,
    enabled: hasTypes && isNeeded('type') && may('device-types:list'),
  })
  // Each call sorts and filters again.
  const isLoading = places.isLoading || racks.isLoading || types.isLoading
  useEffect(() => {
    if (isLoading) return
    const named = [...(places.data ?? []), ...(racks.data ?? []), ...(types.data ?? [])]
    const entries = named.map(({ id, name }) => [id, name] as const)
    devices.setNames(
      entries,
      (places.data ?? []).map(({ id }) => id),
    )
  }, [isLoading, places.data, racks.data, types.data])
}

/** Creates the view of the rows that are there already, in the places that they will have. */
const createPreviewView = (
  { total, devices: first }: Preview,
  query: TableQuery,
  createTall: TableView<DeviceRow>['createTall'],
): TableView<DeviceRow> => ({
  count: total,
  total,
  isPartial: true,
  rowAt: (position) => {
    const device = first[position]
    return device && createRowMapper(devices.names())(device)
  },
  // A selection includes rows that have not arrived yet.
  idsOf: async (from, to) => {
    await devices.whenReady()
    const { order } = await devices.query(query, 0)
    return devices.ids(order.slice(from, to))
  },
  ensure: () => {},
  createTall,
})

/** Undefined until there are rows. @param columns the ids of the shown ones */
export const useDevices = (
  { q, sort, isDescending }: TableQuery,
  columns: readonly string[],
): DevicesView | undefined => {
  const { status, version } = useStore(devices.state)
  useStore(devices.arrivals)
  const [result, setResult] = useState<DeviceResult>()
  const shown = useRef(0)
  const words = q.toLowerCase().split(/\s+/)
  useNames([...columns, sort, ...words.map((word) => word.replace(/^[-!]/, ''))])
  useEffect(() => devices.use(), [])

  useEffect(() => {
    if (status !== 'ready') return
    let isCurrent = true
    // Over the rows of this version: another version has other indices.
    void devices.query({ q, sort, isDescending }, shown.current).then((next) => {
      if (isCurrent && next.version >= version) setResult(next)
    })
    return () => {
      isCurrent = false
    }
  }, [q, sort, isDescending, status, version])

  const preview = useStore(devices.preview)
  const isUsual = q.trim() === '' && sort === 'name' && !isDescending
  const many = useStore(devices.many)
  return useMemo(() => {
    if (!result)
      return preview && isUsual ? createPreviewView(preview, { q, sort, isDescending }, many?.createTall) : undefined
    const { order, total, windowed } = result
    if (windowed && many) {
      const isTurned = sort === 'name' && isDescending
      const ensure = (from: number, to: number) => {
        shown.current = from - windowed.base
        devices.ensurePart(from, to)
      }
      return { ...many.createView(windowed, { total, isDescending: isTurned, getRow: devices.row, ensure }), windowed }
    }
    return {
      count: order.length,
      total,
      rowAt: (position) => {
        const index = order[position]
        return index === undefined ? undefined : devices.row(index)
      },
      idsOf: (from, to) => devices.ids(order.slice(from, to)),
      ensure: (from, to) => {
        shown.current = from
        devices.ensure([...order.subarray(from, to)])
      },
    }
  }, [result, preview, isUsual, many, q, sort, isDescending])
}
