/** The states of the devices of a feed, as checkboxes. */
import { useId } from 'react'
import fieldCss from '../ui/field.module.css'
import { Checkbox } from '../ui/field.tsx'
import css from './feeds.module.css'
import { STATUSES } from './labels.ts'

type Props = {
  /** States, separated by commas. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

export const parseStatuses = (text: string): readonly string[] => text.split(',').filter((one) => one !== '')

export const StatusesField = ({ value, onChange, error }: Props) => {
  const id = useId()
  const chosen = parseStatuses(value)
  // In the order of the catalog, so that equal selections are equal texts.
  const turn = (status: string) =>
    onChange(STATUSES.filter((one) => chosen.includes(one) !== (one === status)).join(','))
  const note = error ?? (chosen.length === 0 ? 'Without one, devices that are active or in maintenance.' : undefined)
  return (
    <fieldset className={css.statuses} aria-describedby={note === undefined ? undefined : `${id}-note`}>
      <legend className={fieldCss.label}>States</legend>
      <div className={css.checks}>
        {STATUSES.map((status) => (
          <label key={status} htmlFor={`${id}-${status}`}>
            <Checkbox id={`${id}-${status}`} checked={chosen.includes(status)} onChange={() => turn(status)} />
            {status}
          </label>
        ))}
      </div>
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? fieldCss.hint : fieldCss.error}>
          {note}
        </p>
      )}
    </fieldset>
  )
}
