/** The unfolded networks: remembered by the browser; at first the networks at the top. */
import { useState } from 'react'

const KEY = 'plat.networks.folded'

const loadExpanded = (): ReadonlyMap<string, boolean> => {
  try {
    // Only this module writes it.
    return new Map(JSON.parse(localStorage.getItem(KEY) ?? '[]') as [string, boolean][])
  } catch {
    return new Map()
  }
}

export const useExpanded = (rootIds: readonly string[]) => {
  const [chosen, setChosen] = useState(loadExpanded)
  const keep = (next: ReadonlyMap<string, boolean>) => {
    setChosen(next)
    try {
      localStorage.setItem(KEY, JSON.stringify([...next]))
    } catch {
      // A browser that has no storage keeps it as long as the page.
    }
  }
  const roots = new Set(rootIds)
  return {
    isExpanded: (id: string): boolean => chosen.get(id) ?? roots.has(id),
    set: (ids: readonly string[], isExpanded: boolean) =>
      keep(new Map([...chosen, ...ids.map((id) => [id, isExpanded] as const)])),
  }
}
