/** The head of a table: sorts by a column, and changes its width by its border or by Alt, Shift and an arrow. */
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { cx } from '../../ui/cx.ts'
import { Checkbox } from '../../ui/field.tsx'
import type { Column, Sorting } from '../column.ts'
import type { Selection } from '../selection.ts'
import css from '../table.module.css'
import { STEP_PX, setWidth } from './look.ts'

type Props<Row> = {
  /** The name of the list, by which the widths are remembered. */
  readonly list: string
  readonly columns: readonly Column<Row>[]
  readonly sorting: Sorting
  readonly onSort: (column: string) => void
  readonly selection: Selection | undefined
  readonly count: number
  /** Widths of a phone are not changed. */
  readonly isFixed: boolean
}

const measureHead = (element: Element): number =>
  element.closest('[role=columnheader]')?.getBoundingClientRect().width ?? 0

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }

const changeByKey = (list: string, id: string) => (event: KeyboardEvent) => {
  const step = STEPS[event.key]
  if (step === undefined || !event.altKey || !event.shiftKey) return
  event.preventDefault()
  setWidth(list, id, measureHead(event.currentTarget) + step)
}

const startDrag = (list: string, id: string) => (event: PointerEvent<HTMLElement>) => {
  if (event.button !== 0) return
  event.preventDefault()
  const { currentTarget: border, clientX: startX, pointerId } = event
  const startPx = measureHead(border)
  border.setPointerCapture(pointerId)
  const move = ({ clientX }: globalThis.PointerEvent) => setWidth(list, id, startPx + clientX - startX)
  const end = new AbortController()
  border.addEventListener('pointermove', move, { signal: end.signal })
  border.addEventListener('lostpointercapture', () => end.abort(), { signal: end.signal })
}

export const TableHead = <Row,>({ list, columns, sorting, onSort, selection, count, isFixed }: Props<Row>) => (
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
      {columns.map(({ id, text, isSortable, isRight, isHeadHidden, head, isNewestFirst = false }) => {
        const isSorted = sorting.sort === id
        const isDescending = sorting.isDescending !== isNewestFirst
        const Arrow = isDescending ? ArrowDown : ArrowUp
        const hasBorder = !isHeadHidden && !isFixed
        return (
          <div
            key={id}
            role="columnheader"
            className={cx(css.headCell, isRight && css.right)}
            aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
            // The button has the focus where there is one.
            tabIndex={hasBorder && !isSortable ? 0 : undefined}
            aria-keyshortcuts={hasBorder && !isSortable ? 'Alt+Shift+ArrowLeft Alt+Shift+ArrowRight' : undefined}
            onKeyDown={hasBorder ? changeByKey(list, id) : undefined}
          >
            {head}
            {head !== undefined ? null : isSortable ? (
              <button type="button" onClick={() => onSort(id)}>
                {text}
                {isSorted && <Arrow size={13} aria-hidden="true" />}
              </button>
            ) : (
              <span className={isHeadHidden ? 'sr' : undefined}>{text}</span>
            )}
            {hasBorder && (
              // biome-ignore lint/a11y/noStaticElementInteractions: keys do the same at the head
              <span
                className={css.border}
                data-border={id}
                onPointerDown={startDrag(list, id)}
                onDoubleClick={() => setWidth(list, id, undefined)}
              />
            )}
          </div>
        )
      })}
    </div>
  </div>
)
