/** Follows the live feed for as long as somebody is signed in who may; begins when the first view is there. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { answeredSince } from '../api/connection.ts'
import { devices } from '../devices/source.ts'
import { usePermit } from '../shell/me.ts'
import { applyTo } from './apply.ts'
import { followFeed } from './feed.ts'

/** How often it is looked whether the view is there, and how often in a row nothing may be on its way. */
const LOOK_MS = 400
const QUIET_LOOKS = 3

export const useLive = (): void => {
  const client = useQueryClient()
  const { may } = usePermit()
  const isAllowed = may('events:read')
  useEffect(() => {
    if (!isAllowed) return
    let stop = (): void => {}
    let quietLooks = 0
    const timer = setInterval(() => {
      const isBusy = document.readyState !== 'complete' || client.isFetching() > 0
      quietLooks = isBusy || devices.state.get().status === 'loading' ? 0 : quietLooks + 1
      if (quietLooks < QUIET_LOOKS) return
      clearInterval(timer)
      // From before anything was read: nothing falls between.
      stop = followFeed(answeredSince(), applyTo(client))
    }, LOOK_MS)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [client, isAllowed])
}
