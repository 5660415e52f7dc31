/** Applies events: devices go to their worker, and the other lists are requested again. */
import type { QueryClient } from '@tanstack/react-query'
import { isOwnDoing, notifySignedOut } from '../api/connection.ts'
import type { Device } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'
import { loadMe, meQuery } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import type { FeedListener, Heard } from './follow-feed.ts'
import { markFresh } from './fresh.ts'
import { OTHER_KEYS, RESOURCE_KEYS } from './keys.ts'

/** The minimum time between two rounds of requests. */
const PACE_MS = 1000
/** Events within this time are applied together, such as the events of an import. */
const TOGETHER_MS = 250
/** Above this number of changes, loading the whole list is faster. */
const MOST_DEVICES = 2000

const toResource = (family: string): string => `${family.replaceAll('_', '-')}s`

/** Returns the first parts of the keys of the queries that an event affects: by default the list of its objects, and the overview. */
const listKeys = (family: string): readonly string[] =>
  OTHER_KEYS[family] ?? RESOURCE_KEYS[toResource(family)] ?? [toResource(family), 'dashboard']

/** Any event may cause a delivery of a webhook, and most are changes of the estate. */
const ALWAYS = ['deliveries', 'history']

type DeviceChanges = { readonly put: Map<string, Device>; readonly gone: Set<string> }

const getId = ({ data }: Heard): string => (typeof data.id === 'string' ? data.id : '')

/** Asks who is signed in. The shell shows the sign-in page if the session has ended. Changed permissions take effect as well. */
const askWhoIsSignedIn = async (client: QueryClient): Promise<void> => {
  try {
    client.setQueryData(meQuery.queryKey, await loadMe())
  } catch (error) {
    if (isCode(error, 'UNAUTHORIZED')) notifySignedOut()
  }
}

export const applyTo = (client: QueryClient): FeedListener => {
  let changes: DeviceChanges = { put: new Map(), gone: new Set() }
  let isCollecting = false
  let touched = new Set<string>()
  let isRefetching = false

  const flushDevices = (): void => {
    isCollecting = false
    const { put, gone } = changes
    changes = { put: new Map(), gone: new Set() }
    for (const id of put.keys()) void client.invalidateQueries({ queryKey: ['device', id], exact: true })
    for (const id of gone) void client.resetQueries({ queryKey: ['device', id], exact: true })
    if (devices.state.get().status === 'idle') return
    if (put.size > MOST_DEVICES) devices.load()
    else devices.heard([...put.values()], [...gone])
  }

  const changeDevice = (heard: Heard): void => {
    const id = getId(heard)
    if (heard.event === 'device.deleted') {
      changes.put.delete(id)
      changes.gone.add(id)
    } else {
      const { ip_address: _, changes: __, ...device } = heard.data
      changes.gone.delete(id)
      // The remaining data is a device in the format of the API.
      changes.put.set(id, device as unknown as Device)
    }
    if (isCollecting) return
    isCollecting = true
    setTimeout(flushDevices, TOGETHER_MS)
  }

  /** Runs one round at a time, so that a slow list is never requested twice at once. */
  const refetch = async (): Promise<void> => {
    if (isRefetching) return
    isRefetching = true
    while (touched.size > 0) {
      // The responses already contain events that follow immediately.
      await new Promise((resolve) => setTimeout(resolve, PACE_MS))
      const keys = touched
      touched = new Set()
      await Promise.all([...keys].map((key) => client.invalidateQueries({ queryKey: [key] }))).catch(() => {})
    }
    isRefetching = false
  }

  const touch = (keys: readonly string[]): void => {
    for (const key of keys) touched.add(key)
    void refetch()
  }

  return {
    hear: (heard) => {
      const family = heard.event.slice(0, heard.event.indexOf('.'))
      if (family === 'device') changeDevice(heard)
      else if (!isOwnDoing()) markFresh([getId(heard)])
      touch([...listKeys(family), ...ALWAYS])
    },
    reset: () => {
      if (devices.state.get().status !== 'idle') devices.load()
      void client.invalidateQueries()
    },
    refused: () => void askWhoIsSignedIn(client),
  }
}
