/** A secret that goes in and never comes out: what is stored is said to be there, and can be replaced. */
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Field } from '../ui/field.tsx'
import css from './access.module.css'

type Props = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
  /** Whether something is stored that stays unless another is typed. */
  readonly isStored: boolean
  readonly isLong?: boolean | undefined
  readonly hint?: string | undefined
  /** Whether what is stored is for another target than the one that is chosen. */
  readonly isNeededAgain: boolean
}

const AGAIN = 'Another device or network needs it again: what is stored is for the one before.'

export const SecretField = ({ label, value, onChange, error, isStored, isLong, hint, isNeededAgain }: Props) => {
  const [isReplacing, setReplacing] = useState(false)
  if (isStored && !isReplacing && !isNeededAgain && value === '' && error === undefined)
    return (
      <div className={fieldCss.field}>
        <span className={fieldCss.label}>{label}</span>
        <span className={css.chosen}>
          <span className="muted">Stored; it can't be shown.</span>
          <Button onClick={() => setReplacing(true)} aria-label={`Replace the ${label.toLowerCase()}`}>
            Replace
          </Button>
        </span>
      </div>
    )
  return (
    <Field
      label={label}
      error={error}
      hint={isNeededAgain ? AGAIN : isStored ? 'Left empty, what is stored stays.' : hint}
    >
      {(wiring) =>
        isLong ? (
          <textarea
            {...wiring}
            className={`${fieldCss.control} mono`}
            rows={6}
            spellCheck={false}
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        ) : (
          <input
            {...wiring}
            type="password"
            className={`${fieldCss.control} mono`}
            autoComplete="new-password"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  )
}
