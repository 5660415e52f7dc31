/** The queries of the history, and the call that undoes a change. */
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { AnyOperation, InputOf, OutputOf } from '../../../src/kernel/operation.ts'
import { api, send } from '../api/client.ts'
import { type Change, contracts, type HistoryItem, type In, type Out } from '../api/contracts.ts'

const PAGE = 100

type Histories = typeof contracts.histories
export type ObjectKind = keyof Histories
type Rows<Row> = { readonly rows: readonly Row[]; readonly total: number }

type RowOf<O extends AnyOperation> = OutputOf<O> extends readonly (infer Row)[] ? Row : never

const readRows = async <Row>(response: Response): Promise<Rows<Row>> => {
  // The server returns values of the contract's type.
  const rows = (await response.json()) as readonly Row[]
  return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
}

const computeNextOffset = <Row>(last: Rows<Row>, pages: readonly Rows<Row>[]): number | undefined => {
  const offset = pages.reduce((sum, { rows }) => sum + rows.length, 0)
  return offset < last.total && last.rows.length > 0 ? offset : undefined
}

/** @param input of the operation, with the number of rows of a page as `limit` */
export const rowsQuery = <O extends AnyOperation>(queryKey: QueryKey, op: O, input: InputOf<O>) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }) => readRows<RowOf<O>>(await send(op, { ...input, offset })),
    getNextPageParam: computeNextOffset,
    staleTime: 0,
  })

/** Since when the history is kept. */
export const extentQuery = queryOptions({ queryKey: ['history', 'extent'], queryFn: () => api.history.extent() })

export const objectHistoryQuery = (kind: ObjectKind, id: string) =>
  rowsQuery(['history', kind, id], contracts.histories[kind], { id, limit: PAGE })

export type ChangeFilter = Pick<In<typeof contracts.history.list>, 'q' | 'kind' | 'user_id' | 'from' | 'to'>

type PageParam = { readonly offset: number; readonly until: string | undefined }

export const changesQuery = (filter: ChangeFilter) =>
  infiniteQueryOptions({
    queryKey: ['history', 'list', filter],
    initialPageParam: { offset: 0, until: undefined } as PageParam,
    queryFn: async ({ pageParam: { offset, until } }) => {
      const pinned = until === undefined ? {} : { to: until }
      return readRows<Out<typeof contracts.history.get>>(
        await send(contracts.history.list, { ...filter, ...pinned, limit: PAGE, offset }),
      )
    },
    getNextPageParam: (last: Rows<Change>, pages: readonly Rows<Change>[]): PageParam | undefined => {
      const offset = computeNextOffset(last, pages)
      // The list ends at its first change. Newer ones would shift the rows of later pages.
      return offset === undefined ? undefined : { offset, until: pages[0]?.rows[0]?.at }
    },
    staleTime: 0,
  })

export const changeQuery = (id: string) =>
  queryOptions({ queryKey: ['history', 'change', id], queryFn: () => api.history.get({ id }), staleTime: 0 })

/** Returns the objects of a change after the first ones, which come with the change. */
export const moreItemsQuery = (id: string, from: number) =>
  infiniteQueryOptions({
    queryKey: ['history', 'change', id, 'items'],
    initialPageParam: from,
    queryFn: async ({ pageParam: offset }) =>
      readRows<HistoryItem>(await send(contracts.history.items, { id, limit: PAGE, offset })),
    getNextPageParam: (last, pages) => {
      const offset = from + pages.reduce((sum, { rows }) => sum + rows.length, 0)
      return offset < last.total ? offset : undefined
    },
  })

export type DiffFilter = { readonly from: string; readonly to?: string; readonly kind?: HistoryItem['kind'] }

export const diffQuery = (filter: DiffFilter) =>
  rowsQuery(['history', 'diff', filter], contracts.history.diff, { ...filter, limit: PAGE })

/** @returns the change that undoes it @throws AppError UNDO_CONFLICT with one detail for each obstacle */
export const undoChange = (id: string): Promise<Change> => api.history.undo({ id })

/** The first part of the key of such a preview. */
export const UNDO_PREVIEW = 'undo-preview'

type UndoCall = { readonly id: string; readonly proposal?: 'open' }

/** @returns the change that the undo would be @throws AppError as `undoChange` */
export const previewUndo = (call: UndoCall): Promise<Change> => {
  const input: UndoCall & { readonly dry_run: true } = { ...call, dry_run: true }
  return api.history.undo(input)
}
