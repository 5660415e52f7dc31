/** The data of the drawn devices, from the rows that the tables use. */
import { useEffect, useState } from 'react'
import { useStore } from '../api/store.ts'
import { createRowMapper, type DeviceRow } from '../devices/column-spec.ts'
import { devices } from '../devices/window/device-list-client.ts'
import type { Brief } from '../devices/window/messages.ts'
import { useNames } from '../devices/window/use-devices.ts'

const DRAWN_MS = 150
const NONE: ReadonlyMap<string, DeviceRow> = new Map()

/** False until the rows are there for the first time. */
export const areLoaded = (rows: ReadonlyMap<string, DeviceRow>): boolean => rows !== NONE

/** Empty while the rows load. */
export const useNodes = (ids: readonly string[] | undefined): ReadonlyMap<string, DeviceRow> => {
  const { status, version } = useStore(devices.state)
  const [rows, setRows] = useState(NONE)
  useNames()
  const isPlaced = ids !== undefined
  useEffect(() => {
    if (!isPlaced) return
    // The drawing comes first, because loading all rows occupies several processors.
    let end: (() => void) | undefined
    const timer = setTimeout(() => {
      end = devices.use(false)
    }, DRAWN_MS)
    return () => {
      clearTimeout(timer)
      end?.()
    }
  }, [isPlaced])
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another version everything may be different
  useEffect(() => {
    if (status !== 'ready' || !ids) return
    let isCurrent = true
    void devices.full(ids).then((found) => {
      const rowOf = createRowMapper(devices.names())
      if (isCurrent) setRows(new Map(found.map((device) => [device.id, rowOf(device)])))
    })
    return () => {
      isCurrent = false
    }
  }, [ids, status, version])
  return rows
}

/** All devices, or undefined while they load and if they are too many. */
export const useBrief = (): Brief | undefined => {
  const { status, version, isMany } = useStore(devices.state)
  const [brief, setBrief] = useState<Brief>()
  useNames()
  useEffect(() => devices.use(false), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another version everything may be different
  useEffect(() => {
    if (status !== 'ready' || isMany) return
    let isCurrent = true
    void devices.brief().then((next) => {
      if (isCurrent) setBrief(next)
    })
    return () => {
      isCurrent = false
    }
  }, [status, version, isMany])
  return isMany ? undefined : brief
}
