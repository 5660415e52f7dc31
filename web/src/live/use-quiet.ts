/** True once the first requests of a page have had their time, so that others do not compete with them. */
import { useEffect, useState } from 'react'

const QUIET_MS = 500

export const useQuiet = (): boolean => {
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
  return isQuiet
}
