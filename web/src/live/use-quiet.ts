/** True once the requests of a page have been answered for a while, so that others do not compete with them. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

const LOOK_MS = 250
/** So many looks in a row find no request. */
const QUIET_LOOKS = 2

export const useQuiet = (): boolean => {
  const client = useQueryClient()
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    let looks = 0
    const timer = setInterval(() => {
      looks = client.isFetching() > 0 ? 0 : looks + 1
      if (looks < QUIET_LOOKS) return
      clearInterval(timer)
      setQuiet(true)
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [client])
  return isQuiet
}
