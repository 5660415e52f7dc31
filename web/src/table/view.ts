/** Rows as a table draws them, wherever they are. */
import { useMemo } from 'react'
import type { Store } from '../api/store.ts'
import { TableEngine, type TableQuery, type TableSpec } from './engine.ts'
import type { Facets } from './filter.ts'

type Rows = { readonly count: number; readonly rowPx: number }

/** Shows a part of more rows than an element can be high. */
export type Tall = {
  /** The number of rows that are left out above the drawn body. */
  readonly shift: Store<number>
  /** The number of rows that the body has room for. */
  readonly computeRoom: (count: number, rowPx: number) => number
  readonly resize: (element: HTMLElement, rows: Rows) => void
  readonly scrolled: (element: HTMLElement, rows: Rows) => void
  readonly scrollTo: (element: HTMLElement, row: number, rows: Rows) => void
}

export type TableView<Row> = {
  readonly count: number
  /** The number of rows before the filter. */
  readonly total: number
  /** True while most of the rows are still being loaded. */
  readonly isPartial?: boolean
  /** Undefined while it is on its way. */
  readonly rowAt: (position: number) => Row | undefined
  /** Ids of the rows from one position up to and without another. */
  readonly idsOf: (from: number, to: number) => Promise<readonly string[]>
  /** Asks for the rows that will be drawn. */
  readonly ensure: (from: number, to: number) => void
  /** Present if there may be more rows than an element can be high. Always the same function. */
  readonly createTall?: (() => Tall) | undefined
}

/** Every row of a table that has them all here, as filtered and in order. */
export const listRows = <Row>({ count, rowAt }: Pick<TableView<Row>, 'count' | 'rowAt'>): Row[] =>
  Array.from({ length: count }, (_, position) => rowAt(position)).filter((row) => row !== undefined)

/** A table of rows that are here already. */
export const useLocalView = <Row>(
  rows: readonly Row[],
  spec: TableSpec<Row>,
  { q, sort, isDescending }: TableQuery,
): TableView<Row> & { readonly facets: () => Promise<Facets> } => {
  const engine = useMemo(() => new TableEngine(rows, spec), [rows, spec])
  return useMemo(() => {
    const order = engine.query({ q, sort, isDescending })
    const rowAt = (position: number) => {
      const index = order[position]
      return index === undefined ? undefined : engine.row(index)
    }
    return {
      count: order.length,
      total: engine.total,
      rowAt,
      idsOf: async (from, to) => [...order.subarray(from, to)].map((index) => spec.id(engine.row(index))),
      ensure: () => {},
      facets: async () => engine.facets(),
    }
  }, [engine, spec, q, sort, isDescending])
}
