/** Saved views: filtered lists by name, of the user and shared by others. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { parseSearch, stringifySearch } from '../search-text.ts'
import { NAV_ITEMS } from '../shell/nav.ts'
import { isOfAView } from '../table/list-search.ts'

export type View = Out<Contracts['views']['list']>[number]

export const viewsQuery = queryOptions({ queryKey: ['views'], queryFn: () => api.views.list({}) })

/** The key of the views that this browser stored before the server did. */
export const STORED = 'plat.views'

/** Sends the views that are stored in this browser to the server, once. */
export const moveStoredViews = (): void => {
  try {
    if (localStorage.getItem(STORED) === null) return
  } catch {
    // A browser without storage has none.
    return
  }
  // They are sent with the next page if this fails.
  void import('./move-stored.ts').then(({ moveStored }) => moveStored()).catch(() => {})
}

/** Returns the part of a query that a view stores. */
export const pickViewSearch = (search: string): string =>
  stringifySearch(Object.fromEntries(Object.entries(parseSearch(search)).filter(([name]) => isOfAView(name))))

/** Returns the page of a view; undefined if the user may not open it. */
export const findViewPage = (may: (permission: string) => boolean, { path }: Pick<View, 'path'>) =>
  NAV_ITEMS.find(({ to, permission }) => to === path && (permission === undefined || may(permission)))
