/** Lists that are read in pages: rows, with the number of all of them. */
import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'
import type { AnyOperation, InputOf, OutputOf } from '../../../src/kernel/operation.ts'
import { send } from './client.ts'

export type Rows<Row> = { readonly rows: readonly Row[]; readonly total: number }

type RowOf<O extends AnyOperation> = OutputOf<O> extends readonly (infer Row)[] ? Row : never

export const readRows = async <Row>(response: Response): Promise<Rows<Row>> => {
  // The server returns values of the contract's type.
  const rows = (await response.json()) as readonly Row[]
  return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
}

export const computeNextOffset = <Row>(last: Rows<Row>, pages: readonly Rows<Row>[]): number | undefined => {
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
