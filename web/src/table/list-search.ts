/** The state of a list, which is all in its URL. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Sorting } from './column.ts'

export type ListSearch = {
  readonly q?: string | undefined
  readonly sort?: string | undefined
  readonly desc?: '1' | undefined
  /** Ids of columns, with commas; without it the usual ones. */
  readonly cols?: string | undefined
  readonly edit?: string | undefined
  readonly new?: string | undefined
  readonly tab?: string | undefined
  readonly days?: string | undefined
  readonly view?: string | undefined
  /** Values of a new object. */
  readonly ip?: string | undefined
  readonly pool?: string | undefined
  readonly network?: string | undefined
  readonly subnet?: string | undefined
  /** Of the topology: the device in the middle, and how far from it. */
  readonly focus?: string | undefined
  readonly hops?: string | undefined
  readonly most?: string | undefined
  /** Of the audit log: the filters, and the open entry. */
  readonly action?: string | undefined
  readonly resource?: string | undefined
  readonly resource_id?: string | undefined
  readonly user?: string | undefined
  readonly status?: string | undefined
  readonly span?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly entry?: string | undefined
}

const KEYS = [
  ...['q', 'sort', 'cols', 'edit', 'new', 'tab', 'view', 'ip', 'pool', 'network', 'subnet', 'days'],
  ...['focus', 'hops', 'most'],
  ...['action', 'resource', 'resource_id', 'user', 'status', 'span', 'from', 'to', 'entry'],
] as const

/** The parameters of a list or a page; all others are dropped. */
export const listSearch = (search: Record<string, unknown>): ListSearch => ({
  ...Object.fromEntries(KEYS.flatMap((key) => (typeof search[key] === 'string' ? [[key, search[key]]] : []))),
  ...(search.desc === '1' ? { desc: '1' as const } : {}),
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
