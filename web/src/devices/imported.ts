/** The devices of an import that has just ended, which the table shows selected. */
import { useEffect } from 'react'

let ids: readonly string[] = []

export const selectNext = (imported: readonly string[]): void => {
  ids = imported
}

/** Selects them once: a later visit keeps its own selection. */
export const useImported = (select: (ids: Iterable<string>) => void): void => {
  useEffect(() => {
    if (ids.length > 0) select(ids)
    ids = []
  }, [select])
}
