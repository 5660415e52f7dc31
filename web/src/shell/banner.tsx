/** The banner above every page while the server is unreachable or the rate limit is exceeded. */
import { useQueryClient } from '@tanstack/react-query'
import { Timer, WifiOff } from 'lucide-react'
import { useEffect } from 'react'
import { connection } from '../api/connection.ts'
import { useStore } from '../api/store.ts'
import css from './shell.module.css'
import { useSecondsUntil } from './use-seconds-until.ts'

const RETRY_MS = 5000

/** Asks until the server is ready, which it is not without its database. */
const useRetries = (isOffline: boolean): void => {
  const client = useQueryClient()
  useEffect(() => {
    if (!isOffline) return
    const timer = setInterval(() => {
      void fetch('/readyz').then(
        ({ ok }) => {
          if (!ok) return
          connection.set({ ...connection.get(), isOffline: false })
          void client.invalidateQueries()
        },
        () => {},
      )
    }, RETRY_MS)
    return () => clearInterval(timer)
  }, [isOffline, client])
}

export const Banner = () => {
  const { isOffline, limitedUntilMs } = useStore(connection)
  const seconds = useSecondsUntil(limitedUntilMs)
  useRetries(isOffline)
  if (isOffline)
    return (
      <div className={css.banner} role="status">
        <WifiOff size={15} aria-hidden="true" />
        The server does not answer. What you see may be old; this goes on as soon as it is back.
      </div>
    )
  if (seconds === 0) return null
  return (
    <div className={css.banner} role="status">
      <Timer size={15} aria-hidden="true" />
      Too many requests. The page continues in {seconds} s.
    </div>
  )
}
