/** The file “CSV as shown”: the visible columns of a list in their order, with the texts of their cells. */
import { useLayoutEffect, useRef, useState } from 'react'
import { formatCsv } from '../../../src/base/csv/csv.ts'
import type { Column } from '../table/column.ts'
import { formatMoment } from '../ui/format.ts'

/** Spreadsheets read a file without it in the encoding of the system. */
export const BYTE_ORDER_MARK = '\uFEFF'
const STEP = 200
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/
/** Parts of a cell that are not seen, or are no text. */
const SKIPPED = '.sr, button, svg'
/** Separates the values of one cell. */
export const BETWEEN = '; '

const toShown = (text: string): string => (MOMENT.test(text) ? formatMoment(text) : text)

/** Returns the text of a cell as it is seen, with `; ` between tags. */
export const readText = (node: Node): string => {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? ''
  if (!(node instanceof Element) || node.matches(SKIPPED)) return ''
  if (node instanceof HTMLTimeElement) return toShown(node.dateTime)
  const tags = [...node.children].filter((child) => child instanceof HTMLElement && child.dataset.tag !== undefined)
  if (tags.length > 0) return tags.map(readText).join(BETWEEN)
  return [...node.childNodes].map(readText).join('')
}

export const listShownColumns = <Row,>(columns: readonly Column<Row>[]): readonly Column<Row>[] =>
  columns.filter(({ isHeadHidden }) => !isHeadHidden)

export const formatShownHead = (columns: readonly Column<never>[]): string =>
  BYTE_ORDER_MARK + formatCsv([columns.map(({ text }) => text)])

/** Formats the rows of columns that all have texts. */
export const formatShownRows = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  formatCsv(rows.map((row) => columns.map(({ toText }) => toShown(toText?.(row) ?? ''))))

type Props<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly onDone: (csv: string) => void
}

/** Draws the cells without a text out of sight, some rows at a time, and reads them. */
export const ShownRows = <Row,>({ columns, rows, onDone }: Props<Row>) => {
  const shown = listShownColumns(columns)
  const drawn = useRef<HTMLDivElement>(null)
  const lines = useRef<string[][]>([])
  const [from, setFrom] = useState(0)
  const part = rows.slice(from, from + STEP)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each part
  useLayoutEffect(() => {
    const { current: parent } = drawn
    for (const [index, row] of part.entries()) {
      const cells = [...(parent?.children[index]?.children ?? [])]
      lines.current.push(
        shown.map(({ toText }, at) => {
          const cell = cells[at]
          return toText ? toShown(toText(row)) : cell ? readText(cell).replaceAll(/\s+/g, ' ').trim() : ''
        }),
      )
    }
    if (from + STEP >= rows.length) onDone(formatShownHead(shown) + formatCsv(lines.current))
    else setTimeout(() => setFrom(from + STEP))
  }, [from])
  return (
    <div ref={drawn} hidden>
      {part.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: read once
        <div key={from + index}>
          {shown.map(({ id, cell, toText }) => (
            <div key={id}>{!toText && cell(row)}</div>
          ))}
        </div>
      ))}
    </div>
  )
}
