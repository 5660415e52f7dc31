/** The state of a list, which is all in its URL. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { isOfProposal } from '../api/as-of.ts'
import type { Sorting } from './column.ts'

/** The parameters that a saved view stores. Open drawers do not belong to it. */
const OF_A_VIEW = [
  // `cols` has ids of columns, with commas; without it the default ones.
  ...(['q', 'sort', 'cols', 'view', 'network', 'space'] as const),
  // The filters of the audit log.
  ...(['action', 'resource', 'resource_id', 'user', 'status', 'span', 'from', 'to'] as const),
  // Fields of the history.
  'kind',
] as const
const KEYS = [
  ...OF_A_VIEW,
  ...(['edit', 'new', 'place', 'tab', 'days', 'min', 'datacenter', 'entry'] as const),
  // The format of an import.
  'format',
  // Values of a new object.
  ...(['ip', 'pool', 'subnet', 'into'] as const),
  // Fields of the topology: the device in the middle, the distance from it, and the devices that go away.
  ...(['focus', 'hops', 'most', 'impact'] as const),
  // The code of a device that waits, and the cause of a failed link.
  ...(['code', 'sso_error'] as const),
  // The moment that the page shows; see api/as-of.ts.
  'as_of',
] as const

export const isOfAView: (key: string) => boolean = (key) => key === 'desc' || OF_A_VIEW.some((one) => one === key)

export type ListSearch = { readonly [K in (typeof KEYS)[number]]?: string | undefined } & {
  readonly desc?: '1' | undefined
}

/** Forms are not opened in the past, because they write to the present. */
const NO_FORM = { edit: undefined, new: undefined, place: undefined }

/** Returns the parameters of a list or a page; all others are dropped. */
export const listSearch = (search: Record<string, unknown>): ListSearch => ({
  ...Object.fromEntries(KEYS.flatMap((key) => (typeof search[key] === 'string' ? [[key, search[key]]] : []))),
  ...(search.desc === '1' ? { desc: '1' as const } : {}),
  ...(typeof search.as_of === 'string' && !isOfProposal(search.as_of) ? NO_FORM : {}),
})

export const usePageSearch = () => {
  // Every page of the shell has this search (see routes.tsx).
  const search = useSearch({ strict: false }) as ListSearch
  const navigate = useNavigate()
  const set = (change: Partial<ListSearch>, options: { readonly isReplace?: boolean } = {}) =>
    navigate({
      to: '.',
      search: (old: ListSearch) => ({ ...old, ...change }),
      replace: options.isReplace ?? false,
    })
  return { search, set }
}

export const useSorting = (initial: string): Sorting & { readonly onSort: (column: string) => void } => {
  const { search, set } = usePageSearch()
  const sort = search.sort ?? initial
  const isDescending = search.desc === '1'
  const onSort = (column: string) => {
    const turned = column === sort && !isDescending
    void set({ sort: column === initial ? undefined : column, desc: turned ? '1' : undefined }, { isReplace: true })
  }
  return { sort, isDescending, onSort }
}
