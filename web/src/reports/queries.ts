/** The queries of the reports. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, send } from '../api/client.ts'
import { type Contracts, contracts, type In, type Out } from '../api/contracts.ts'

export type ReportSummary = Out<Contracts['reports']['list']>[number]
export type Finding = Out<Contracts['reports']['show']>[number]

/** The most findings that the page loads. A file has all of them. */
export const MAX_FINDINGS = 2000

export type Asked = Omit<In<Contracts['reports']['show']>, 'limit' | 'offset'>

export type Counted = { readonly rows: readonly Finding[]; readonly total: number }

export const reportsQuery = queryOptions({ queryKey: ['reports'], queryFn: () => api.reports.list() })

export const findingsQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['reports', asked],
    queryFn: async (): Promise<Counted> => {
      const response = await send(contracts.reports.show, { ...asked, limit: MAX_FINDINGS })
      // The server returns values of the contract's type.
      const rows = (await response.json()) as readonly Finding[]
      return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
    },
    placeholderData: keepPreviousData,
  })

/** @example exportUrl({ name: 'ghosts', days: 7 }, 'csv') // '/api/reports/ghosts/export?format=csv&days=7' */
export const exportUrl = ({ name, ...given }: Asked, format: 'csv' | 'json'): string => {
  const query = Object.entries({ format, ...given }).flatMap(([field, value]) =>
    value === undefined ? [] : [[field, String(value)]],
  )
  return `/api/reports/${name}/export?${new URLSearchParams(query)}`
}
