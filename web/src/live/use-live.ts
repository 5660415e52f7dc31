/** Follows the live feed while the user is signed in and permitted. Starts after the first view is loaded. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { getAnsweredSince } from '../api/connection.ts'
import { createStore } from '../api/store.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { usePermit } from '../shell/me.ts'

/** The interval of the checks, and how many in a row must find no pending request. */
const LOOK_MS = 400
const QUIET_LOOKS = 3

/** True once the first view is loaded. Requests that can wait are made then. */
export const isQuiet = createStore(false)

/** Ends the feed, and the wait for a quiet page, of a page that another one replaces. */
export let stopLive = (): void => {}

export const useLive = (): void => {
  const client = useQueryClient()
  const { may } = usePermit()
  const isAllowed = may('events:read')
  useEffect(() => {
    let stop = (): void => {}
    let quietLooks = 0
    let isOver = false
    const follow = async (): Promise<void> => {
      const [{ applyTo }, { followFeed }] = await Promise.all([import('./apply.ts'), import('./follow-feed.ts')])
      // Starts before the first read, so that no event is missed.
      if (!isOver) stop = followFeed(getAnsweredSince(), applyTo(client))
    }
    const timer = setInterval(() => {
      const isBusy = document.readyState !== 'complete' || client.isFetching() > 0
      quietLooks = isBusy || devices.state.get().status === 'loading' ? 0 : quietLooks + 1
      if (quietLooks < QUIET_LOOKS) return
      clearInterval(timer)
      isQuiet.set(true)
      if (!isAllowed) return
      // A page that fails to load the code is not live; all else works.
      follow().catch(() => {})
    }, LOOK_MS)
    stopLive = () => {
      isOver = true
      clearInterval(timer)
      stop()
      isQuiet.set(false)
    }
    return stopLive
  }, [client, isAllowed])
}
