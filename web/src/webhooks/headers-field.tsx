/** The extra headers of a webhook, one row each. */
import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { useFocusRow } from '../resource/form/use-focus-row.ts'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { findRepeatedName, formatRows, type HeaderRow, MASK, parseRows } from './headers.ts'
import css from './webhooks.module.css'

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
  /** True if stored values were entered for another target than the typed one. */
  readonly isNeededAgain: boolean
}

const STORED = 'A value of *** is stored. It is kept unless you type another one.'
const AGAIN = 'Enter the values again for another scheme, host or port: the stored ones are for the earlier target.'

export const HeadersField = ({ value, onChange, error, isNeededAgain }: Props) => {
  const noteId = useId()
  const { list, focusRow } = useFocusRow()
  const rows = parseRows(value)
  const repeated = findRepeatedName(rows)
  const change = (at: number, part: Partial<HeaderRow>) =>
    onChange(formatRows(rows.map((row, index) => (index === at ? { ...row, ...part } : row))))
  const note =
    error ?? (repeated === undefined ? undefined : `${repeated} is repeated: names are compared without case`)
  const isStored = rows.some((row) => row.value === MASK)
  return (
    <fieldset ref={list} className={css.headers} aria-describedby={note === undefined ? undefined : noteId}>
      <legend className={fieldCss.label}>Headers</legend>
      {rows.map(({ name, value: text }, index) => (
        // Rows are identified by their position only.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={css.header} data-row="">
          <input
            className={`${fieldCss.control} mono`}
            aria-label={`Name of header ${index + 1}`}
            placeholder="Authorization"
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => change(index, { name: event.target.value })}
          />
          <input
            className={`${fieldCss.control} mono`}
            aria-label={`Value of header ${index + 1}`}
            placeholder="Bearer …"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => change(index, { value: event.target.value })}
          />
          <Button
            isIcon
            look="quiet"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => {
              focusRow(index - 1)
              onChange(formatRows(rows.filter((_, other) => other !== index)))
            }}
          >
            <X size={15} aria-hidden="true" />
          </Button>
        </div>
      ))}
      <span>
        <Button
          onClick={() => {
            focusRow(rows.length)
            onChange(formatRows([...rows, { name: '', value: '' }]))
          }}
        >
          <Plus size={14} aria-hidden="true" />
          Add a header
        </Button>
      </span>
      {isStored && <p className={fieldCss.hint}>{isNeededAgain ? AGAIN : STORED}</p>}
      {note !== undefined && (
        <p id={noteId} className={fieldCss.error}>
          {note}
        </p>
      )}
    </fieldset>
  )
}
