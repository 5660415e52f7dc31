/** Returns true if the window is as narrow as a phone. */
import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 640px)')

export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => query.matches,
  )
