/** The part of a list below its filter: the table, or why there is none. */
import type { ReactNode } from 'react'
import { LearnMore } from '../help/lazy-learn-more.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Failure, State } from '../ui/states.tsx'
import type { Column } from './column.ts'
import css from './table.module.css'
import { TableSkeleton } from './table-skeleton.tsx'

type Props<Row> = {
  /** Undefined while the rows are loaded. */
  readonly view: { readonly count: number; readonly total: number } | undefined
  readonly error: unknown
  readonly refetch: () => unknown
  readonly columns: readonly Column<Row>[]
  readonly filter: string
  readonly onClear: () => void
  /** Shown with the number of rows without the filter: `devices`. */
  readonly noun?: string
  /** Shown if the list is empty without a filter. */
  readonly empty: { readonly title: string; readonly text: string; readonly actions?: ReactNode }
  readonly table: ReactNode
  readonly children?: ReactNode
}

export const ListContent = <Row,>(props: Props<Row>) => {
  const { view, error, refetch, columns, onClear, noun, empty, table, children } = props
  const filter = props.filter.trim()
  const total = view && `There are ${[formatCount(view.total), noun].filter(Boolean).join(' ')} without the filter.`
  return (
    <div className={css.wrap}>
      {!view &&
        (error ? <Failure error={error} onRetry={() => void refetch()} /> : <TableSkeleton columns={columns} />)}
      {view?.count === 0 && filter !== '' && (
        <State title={`Nothing matches “${filter}”`} text={total}>
          <Button onClick={onClear}>Clear filter</Button>
        </State>
      )}
      {view?.count === 0 && filter === '' && (
        <State title={empty.title} text={empty.text}>
          {empty.actions}
          {empty.text !== '' && <LearnMore />}
        </State>
      )}
      {view && view.count > 0 && table}
      {children}
    </div>
  )
}
