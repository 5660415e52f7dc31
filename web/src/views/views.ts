/** Saved views: filtered lists by name, of the user and shared by others. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { parseSearch, stringifySearch } from '../search-text.ts'
import { NAV_ITEMS } from '../shell/nav.ts'
import { isOfAView } from '../table/list-search.ts'

export type View = Out<Contracts['views']['list']>[number]

export const viewsQuery = queryOptions({ queryKey: ['views'], queryFn: () => api.views.list({}) })

/** Returns the part of a query that a view stores. */
export const pickViewSearch = (search: string): string =>
  stringifySearch(Object.fromEntries(Object.entries(parseSearch(search)).filter(([name]) => isOfAView(name))))

/** The list of a kind is below the page of all kinds. */
const toPagePath = (path: string): string => (path.startsWith('/kinds/') ? '/kinds' : path)

/** Returns the page of a view; undefined if the user may not open it. */
export const findViewPage = (may: (permission: string) => boolean, { path }: Pick<View, 'path'>) =>
  NAV_ITEMS.find(({ to, permission }) => to === toPagePath(path) && (permission === undefined || may(permission)))
