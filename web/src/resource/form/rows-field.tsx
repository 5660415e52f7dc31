/** A field of rows: each row has its controls and a button that removes it, and one button adds a row. */
import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import css from './rows-field.module.css'
import { useFocusRow } from './use-focus-row.ts'

type Props<Row> = {
  readonly legend: string
  /** The word for a row. @example 'mapping' */
  readonly noun: string
  readonly hint: ReactNode
  readonly rows: readonly Row[]
  /** A row that is added. */
  readonly added: Row
  readonly onChange: (rows: readonly Row[]) => void
  readonly error: string | undefined
  /** @param set changes the row */
  readonly children: (row: Row, index: number, set: (change: Partial<Row>) => void) => ReactNode
}

export const RowsField = <Row extends object>(props: Props<Row>) => {
  const { legend, noun, hint, rows, added, onChange, error, children } = props
  const { list, focusRow } = useFocusRow()
  return (
    <fieldset ref={list} className={css.rows}>
      <legend className={fieldCss.label}>{legend}</legend>
      <p className={fieldCss.hint}>{hint}</p>
      {error !== undefined && <p className={fieldCss.error}>{error}</p>}
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its position
        <div key={index} className={css.row} data-row="">
          {children(row, index, (change) => onChange(rows.with(index, { ...row, ...change })))}
          <Button
            isIcon
            look="quiet"
            aria-label={`Remove ${noun} ${index + 1}`}
            onClick={() => {
              focusRow(index - 1)
              onChange(rows.toSpliced(index, 1))
            }}
          >
            <X size={15} aria-hidden="true" />
          </Button>
        </div>
      ))}
      <div>
        <Button
          onClick={() => {
            focusRow(rows.length)
            onChange([...rows, added])
          }}
        >
          <Plus size={15} aria-hidden="true" />
          Add a {noun}
        </Button>
      </div>
    </fieldset>
  )
}
