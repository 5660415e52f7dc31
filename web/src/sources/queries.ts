/** The queries of sources and their runs. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, callTagged, send } from '../api/client.ts'
import { type Contracts, contracts, type Out } from '../api/contracts.ts'

export type Source = Out<Contracts['sources']['get']>
export type SourceKind = Out<Contracts['sources']['kinds']>[number]
export type SourceRun = Out<Contracts['sources']['runs']>[number]
export type SourceRunWithLog = Out<Contracts['sources']['showRun']>

/** First parts of the keys of the queries that a change of a source affects. */
export const SOURCE_KEYS = ['sources', 'source', 'source-runs', 'source-objects', 'dashboard']

/** While a source is read, nothing tells of its progress. */
const RUNNING_MS = 1500
/** A run that begins by itself has no event. */
const IDLE_MS = 30_000

const getPace = (isRunning: boolean): number => (isRunning ? RUNNING_MS : IDLE_MS)

export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: () => api.sources.list(),
  refetchInterval: ({ state }) => getPace(state.data?.some(({ is_running }) => is_running) === true),
})

export const sourceQuery = (id: string) =>
  queryOptions({
    queryKey: ['source', id],
    queryFn: () => callTagged(contracts.sources.get, { id }),
    refetchInterval: ({ state }) => getPace(state.data?.value.is_running === true),
  })

/** Changes only with an upgrade of the server. */
export const kindsQuery = queryOptions({
  queryKey: ['source-kinds'],
  queryFn: () => api.sources.kinds(),
  staleTime: Number.POSITIVE_INFINITY,
})

const PAGE = 100

export type RowsPage<Row> = { readonly rows: readonly Row[]; readonly total: number }

/** Reads a page of a list with the number of all of its rows. */
export const readPage = async <Row>(answer: Promise<Response>): Promise<RowsPage<Row>> => {
  const response = await answer
  // The server returns values of the contract's type.
  const rows = (await response.json()) as readonly Row[]
  return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
}

export const getNextOffset = (last: RowsPage<unknown>, pages: readonly RowsPage<unknown>[]): number | undefined => {
  const shown = pages.reduce((sum, { rows }) => sum + rows.length, 0)
  return last.rows.length === 0 || shown >= last.total ? undefined : shown
}

const isOpen = ({ status }: SourceRun): boolean => status === 'pending' || status === 'running'

export const runsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['source-runs', id],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => readPage<SourceRun>(send(contracts.sources.runs, { id, limit: PAGE, offset })),
    getNextPageParam: getNextOffset,
    refetchInterval: ({ state }) => getPace(state.data?.pages[0]?.rows.some(isOpen) === true),
  })

export const runQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: ['source-runs', id, runId],
    queryFn: () => api.sources.showRun({ id, run_id: runId }),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? RUNNING_MS : false),
  })
