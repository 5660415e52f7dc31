/** Converts the filter of the URL to the input of the list operation. */
import type { ListSearch } from '../table/list-search.ts'

export const ACTIONS = ['create', 'update', 'delete', 'login', 'logout'] as const
export const STATUSES = ['success', 'failure'] as const

export const SPANS = [
  ['1h', 'Last hour', 3600],
  ['24h', 'Last 24 hours', 86_400],
  ['7d', 'Last 7 days', 604_800],
  ['30d', 'Last 30 days', 2_592_000],
] as const

export type AuditFilter = {
  readonly action?: (typeof ACTIONS)[number]
  readonly status?: (typeof STATUSES)[number]
  readonly resource?: string
  readonly resource_id?: string
  readonly user_id?: string
  readonly start_time?: string
  readonly end_time?: string
}

/** Invalid times are left out, because a URL can be edited by hand. */
const parseMoment = (text: string | undefined): string | undefined => {
  const ms = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

const computeStart = ({ span, from }: ListSearch, nowMs: number): string | undefined => {
  const seconds = SPANS.find(([id]) => id === span)?.[2]
  return seconds === undefined ? parseMoment(from) : new Date(nowMs - seconds * 1000).toISOString()
}

const pickGiven = <T extends string, V>(name: T, value: V | undefined | ''): Partial<Record<T, V>> =>
  // The record has the one property `name`.
  (value === undefined || value === '' ? {} : { [name]: value }) as Partial<Record<T, V>>

export const toFilter = (search: ListSearch, nowMs: number): AuditFilter => ({
  ...pickGiven(
    'action',
    ACTIONS.find((action) => action === search.action),
  ),
  ...pickGiven(
    'status',
    STATUSES.find((status) => status === search.status),
  ),
  ...pickGiven('resource', search.resource),
  ...pickGiven('resource_id', search.resource_id),
  ...pickGiven('user_id', search.user),
  ...pickGiven('start_time', computeStart(search, nowMs)),
  ...pickGiven('end_time', search.span === undefined ? parseMoment(search.to) : undefined),
})

export const NO_FILTER = {
  action: undefined,
  resource: undefined,
  resource_id: undefined,
  user: undefined,
  status: undefined,
  span: undefined,
  from: undefined,
  to: undefined,
} as const satisfies Partial<ListSearch>

const FILTERS: readonly string[] = Object.keys(NO_FILTER)

/** Returns true if the filter leaves out entries. */
export const isFiltered = (search: ListSearch): boolean =>
  Object.entries(search).some(([name, value]) => FILTERS.includes(name) && value !== undefined && value !== '')

/** The resources of all operations that write. */
export const RESOURCES: readonly string[] = __AUDITED__

/** Returns the URL of the same entries as a file. */
export const exportUrl = (format: 'csv' | 'json', filter: AuditFilter): string =>
  `/api/audit/export?${new URLSearchParams({ format, ...filter })}`
