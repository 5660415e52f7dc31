/** The table of every list: draws only the visible rows, is moved through by keys, and is a grid to a screen reader. */
import { memo, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react'
import { createStore, useStore } from '../api/store.ts'
import { fresh } from '../live/fresh.ts'
import { MOST_PRINTED, printing } from '../print/printing.ts'
import { preferences } from '../shell/preferences.ts'
import { cx } from '../ui/cx.ts'
import { Checkbox } from '../ui/field.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import { useNarrow } from '../ui/use-narrow.ts'
import type { Column, Sorting } from './column.ts'
import { getWidths, looks } from './head/look.ts'
import { TableHead } from './head/table-head.tsx'
import { buildTemplate, computeLeast } from './head/template.ts'
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

const ROW_PX = { compact: 32, comfortable: 40, phone: 44 }
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
  /** The first cell takes the place of all cells. */
  readonly isWide: boolean
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
      aria-busy={row === undefined || undefined}
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
      {(props.isWide ? columns.slice(0, 1) : columns).map((column) => (
        <div
          key={column.id}
          role="gridcell"
          className={cx(css.cell, column.isRight && css.right, props.isWide && css.wide)}
          aria-colspan={props.isWide ? columns.length : undefined}
        >
          {row === undefined ? <Skeleton /> : column.cell(row)}
        </div>
      ))}
    </div>
  )
}

// `memo` forgets the type parameter.
const MemoRow = memo(TableRow) as typeof TableRow

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
  const rowPx = ROW_PX[isNarrow ? 'phone' : density]
  const { count, createTall } = view
  const tall = useMemo(() => createTall?.(), [createTall])
  const shift = useStore(tall?.shift ?? NO_SHIFT)
  const room = tall ? tall.computeRoom(count, rowPx) : count
  const rows = useRows({ label, scroller, count: room, rowPx })
  useLayoutEffect(() => {
    if (scroller.current) tall?.resize(scroller.current, { count, rowPx })
  }, [tall, count, rowPx])
  const isPrinting = useStore(printing)
  const [first, end] = isPrinting ? [0, Math.min(count, MOST_PRINTED)] : [rows.first + shift, rows.end + shift]
  useEffect(() => view.ensure(first, end), [view, first, end])
  const scrollTo = (row: number) => {
    if (tall && scroller.current) tall.scrollTo(scroller.current, row, { count, rowPx })
    else rows.scrollTo(row)
  }
  const pageSize = Math.max(1, rows.shown - 2)
  const { cursor, setCursor } = useCursor({ view, pageSize, scrollTo, actions, toggle: selection?.toggle, tree })
  const rowId = (position: number) => `${tableId}-${position}`
  const tracks = { hasChecks: selection !== undefined, isNarrow, widths: getWidths(useStore(looks), label) }
  const style = { '--columns': buildTemplate(columns, tracks), '--least': `${computeLeast(columns, tracks)}px` }
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
      <TableHead
        list={label}
        columns={columns}
        sorting={sorting}
        onSort={onSort}
        selection={selection}
        count={view.count}
        isFixed={isNarrow}
      />
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
              isWide={row !== undefined && tree?.isWide?.(row) === true}
              onPoint={setCursor}
              onToggle={selection?.toggle}
            />
          )
        })}
      </div>
    </div>
  )
}
