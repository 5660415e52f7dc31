/** The table of every list: draws only the visible rows, is moved through by keys, and is a grid to a screen reader. */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react'
import { createStore, useStore } from '../api/store.ts'
import { fresh } from '../live/fresh.ts'
import { preferences } from '../shell/preferences.ts'
import { cx } from '../ui/cx.ts'
import { Checkbox } from '../ui/field.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import { useNarrow } from '../ui/use-narrow.ts'
import type { Column, Sorting } from './column.ts'
import type { Selection } from './selection.ts'
import css from './table.module.css'
import type { Tree } from './tree.ts'
import { type RowActions, useCursor } from './use-cursor.ts'
import { useRows } from './use-rows.ts'
import type { TableView } from './view.ts'

type TableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly view: TableView<Row>
  readonly sorting: Sorting
  readonly onSort: (column: string) => void
  readonly getId: (row: Row) => string
  readonly getName: (row: Row) => string
  readonly actions?: RowActions<Row>
  readonly selection?: Selection | undefined
  readonly tree?: Tree<Row> | undefined
}

const ROW_PX = { compact: 32, comfortable: 40 }
const CHECK_PX = 40
const NO_ACTIONS = {}
const NO_SHIFT = createStore(0)

type RowProps<Row> = {
  readonly id: string
  readonly row: Row | undefined
  readonly columns: readonly Column<Row>[]
  readonly position: number
  readonly top: number
  readonly name: string
  readonly isCurrent: boolean
  readonly isSelected: boolean
  readonly isSelectable: boolean
  /** Another user has just changed it. */
  readonly isFresh: boolean
  readonly level: number | undefined
  readonly isExpanded: boolean | undefined
  readonly onPoint: (position: number) => void
  readonly onToggle: ((position: number, isRange: boolean) => void) | undefined
}

const TableRow = <Row,>(props: RowProps<Row>) => {
  const { isSelectable } = props
  const { id, row, columns, position, top, name, isCurrent, isSelected, level, isExpanded, onPoint, onToggle } = props
  return (
    <div
      id={id}
      role="row"
      className={css.row}
      style={{ top }}
      // The head is the first.
      aria-rowindex={position + 2}
      aria-level={level}
      aria-expanded={isExpanded}
      aria-selected={onToggle && isSelectable ? isSelected : undefined}
      data-current={isCurrent || undefined}
      data-fresh={props.isFresh || undefined}
      onPointerDown={() => onPoint(position)}
    >
      {onToggle && (
        <div role="gridcell" className={css.check}>
          {isSelectable && (
            <Checkbox
              checked={isSelected}
              aria-label={`Select ${name}`}
              tabIndex={-1}
              onChange={(event) => onToggle(position, (event.nativeEvent as MouseEvent).shiftKey)}
            />
          )}
        </div>
      )}
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={cx(css.cell, column.isRight && css.right)}>
          {row === undefined ? <Skeleton /> : column.cell(row)}
        </div>
      ))}
    </div>
  )
}

// `memo` forgets the type parameter.
const MemoRow = memo(TableRow) as typeof TableRow

type HeadProps<Row> = Pick<TableProps<Row>, 'columns' | 'sorting' | 'onSort' | 'selection'> & { readonly count: number }

const TableHead = <Row,>({ columns, sorting, onSort, selection, count }: HeadProps<Row>) => (
  <div role="rowgroup" className={css.head}>
    <div role="row" aria-rowindex={1} className="contents">
      {selection && (
        <div role="columnheader" className={cx(css.headCell, css.check)}>
          <Checkbox
            aria-label="Select all that match"
            checked={count > 0 && selection.ids.size >= count}
            isMixed={selection.ids.size > 0 && selection.ids.size < count}
            onChange={selection.toggleAll}
          />
        </div>
      )}
      {columns.map(({ id, text, isSortable, isRight }) => {
        const isSorted = sorting.sort === id
        const Arrow = sorting.isDescending ? ArrowDown : ArrowUp
        return (
          <div
            key={id}
            role="columnheader"
            className={cx(css.headCell, isRight && css.right)}
            aria-sort={isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined}
          >
            {isSortable ? (
              <button type="button" onClick={() => onSort(id)}>
                {text}
                {isSorted && <Arrow size={13} aria-hidden="true" />}
              </button>
            ) : (
              text
            )}
          </div>
        )
      })}
    </div>
  </div>
)

/** Returns the columns of the grid in CSS: their widths at least, and the rest in proportion. */
const buildTemplate = (columns: readonly Column<never>[], hasChecks: boolean, isNarrow: boolean): string =>
  [
    ...(hasChecks ? [`${CHECK_PX}px`] : []),
    ...columns.map(({ width }) => (isNarrow ? `minmax(0, ${width}fr)` : `minmax(${width}px, ${width}fr)`)),
  ].join(' ')

/** Returns the least width of the grid in px: below it, the table scrolls sideways. A narrow one never does. */
const sumWidths = (columns: readonly Column<never>[], hasChecks: boolean, isNarrow: boolean): number =>
  isNarrow ? 0 : columns.reduce((sum, { width }) => sum + width, hasChecks ? CHECK_PX : 0)

export const DataTable = <Row,>(props: TableProps<Row>) => {
  const { label, view, sorting, onSort, getId, getName, actions = NO_ACTIONS, selection, tree } = props
  const { density } = useStore(preferences)
  const freshIds = useStore(fresh)
  const isNarrow = useNarrow()
  const columns = useMemo(
    () => (isNarrow ? props.columns.filter(({ isEssential }) => isEssential) : props.columns),
    [isNarrow, props.columns],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const tableId = useId()
  const rowPx = ROW_PX[isNarrow ? 'comfortable' : density]
  const { count, createTall } = view
  const tall = useMemo(() => createTall?.(), [createTall])
  const shift = useStore(tall?.shift ?? NO_SHIFT)
  const room = tall ? tall.computeRoom(count, rowPx) : count
  const rows = useRows({ label, scroller, count: room, rowPx })
  useLayoutEffect(() => {
    if (scroller.current) tall?.resize(scroller.current, { count, rowPx })
  }, [tall, count, rowPx])
  const [first, end] = [rows.first + shift, rows.end + shift]
  useEffect(() => view.ensure(first, end), [view, first, end])
  const scrollTo = (row: number) => {
    if (tall && scroller.current) tall.scrollTo(scroller.current, row, { count, rowPx })
    else rows.scrollTo(row)
  }
  const pageSize = Math.max(1, rows.shown - 2)
  const { cursor, setCursor } = useCursor({ view, pageSize, scrollTo, actions, toggle: selection?.toggle, tree })
  const rowId = (position: number) => `${tableId}-${position}`
  const hasChecks = selection !== undefined
  const style = {
    '--columns': buildTemplate(columns, hasChecks, isNarrow),
    '--least': `${sumWidths(columns, hasChecks, isNarrow)}px`,
  }
  return (
    // The grid itself has the focus; rows come and go, and are named by aria-activedescendant.
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is grid or treegrid
    <div
      ref={scroller}
      role={tree ? 'treegrid' : 'grid'}
      className={css.grid}
      style={style as object}
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        // First, because the rows are drawn with the number of rows left out above.
        tall?.scrolled(currentTarget, { count, rowPx })
        rows.scrolled()
      }}
      aria-label={label}
      aria-busy={view.isPartial}
      aria-rowcount={view.count + 1}
      aria-colcount={columns.length + (selection ? 1 : 0)}
      aria-multiselectable={selection ? true : undefined}
      aria-activedescendant={cursor >= first && cursor < end ? rowId(cursor) : undefined}
    >
      <TableHead columns={columns} sorting={sorting} onSort={onSort} selection={selection} count={view.count} />
      <div role="rowgroup" className={css.body} style={{ height: room * rowPx }}>
        {Array.from({ length: end - first }, (_, offset) => {
          const index = first + offset
          const row = view.rowAt(index)
          return (
            <MemoRow
              key={index}
              id={rowId(index)}
              row={row}
              columns={columns}
              position={index}
              top={(index - shift) * rowPx}
              name={row === undefined ? 'row' : getName(row)}
              isCurrent={index === cursor}
              isSelected={row !== undefined && selection?.ids.has(getId(row)) === true}
              isSelectable={row === undefined || tree?.isSelectable?.(row) !== false}
              isFresh={row !== undefined && freshIds.size > 0 && freshIds.has(getId(row))}
              level={row === undefined ? undefined : tree?.getLevel(row)}
              isExpanded={row === undefined ? undefined : tree?.isExpanded(row)}
              onPoint={setCursor}
              onToggle={selection?.toggle}
            />
          )
        })}
      </div>
    </div>
  )
}
