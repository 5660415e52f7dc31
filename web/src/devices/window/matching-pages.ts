/** Selects all devices of a list of the server. Their ids are read by pages. Pure. */
import type { Matching } from './server-filter.ts'
import type { Param } from './windowed-state.ts'

/** The ids of one request. */
export const MATCHING_PAGE = 1000

type ListPage = (params: readonly Param[], limit: number, offset: number) => Promise<readonly { readonly id: string }[]>

type List = { readonly params: readonly Param[]; readonly count: number; readonly listPage: ListPage }

export const createMatching = (list: List, without: ReadonlySet<string> = new Set()): Matching => ({
  size: list.count - without.size,
  has: (id) => !without.has(id),
  toggle: (ids) => {
    const next = new Set(without)
    for (const id of ids) if (!next.delete(id)) next.add(id)
    return createMatching(list, next)
  },
  pages: Math.ceil(list.count / MATCHING_PAGE),
  page: async (number) => {
    const rows = await list.listPage(list.params, MATCHING_PAGE, number * MATCHING_PAGE)
    return rows.map(({ id }) => id).filter((id) => !without.has(id))
  },
})
