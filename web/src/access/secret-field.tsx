/** A write-only secret. The field shows that a value is stored, and can replace it. */
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
  /** True if a stored value is kept unless another is typed. */
  readonly isStored: boolean
  readonly isLong?: boolean | undefined
  readonly hint?: string | undefined
  /** True if the stored value was entered for another target than the selected one. */
  readonly isNeededAgain: boolean
  /** The parts of the target; a device or network by default. */
  readonly target?: string
  readonly isRequired?: boolean
  /** True if a stored value can be removed: the value of the form is `REMOVED` then. */
  readonly isRemovable?: boolean
}

/** Stands for a removed value. It cannot be typed. */
export const REMOVED = '\0'

export const SecretField = (props: Props) => {
  const { label, value, onChange, error, isStored, isLong, hint, isNeededAgain, target, isRequired = false } = props
  const [isReplacing, setReplacing] = useState(false)
  const lower = label.toLowerCase()
  if (value === REMOVED)
    return (
      <div className={fieldCss.field}>
        <span className={fieldCss.label}>{label}</span>
        <span className={css.chosen}>
          <span className="muted">It is removed when you save.</span>
          <Button onClick={() => onChange('')} aria-label={`Keep the ${lower}`}>
            Keep it
          </Button>
        </span>
      </div>
    )
  if (isStored && !isReplacing && !isNeededAgain && value === '' && error === undefined)
    return (
      <div className={fieldCss.field}>
        <span className={fieldCss.label}>{label}</span>
        <span className={css.chosen}>
          <span className="muted">Stored; it can't be shown.</span>
          <Button onClick={() => setReplacing(true)} aria-label={`Replace the ${lower}`}>
            Replace
          </Button>
          {props.isRemovable && (
            <Button onClick={() => onChange(REMOVED)} aria-label={`Remove the ${lower}`}>
              Remove
            </Button>
          )}
        </span>
      </div>
    )
  const again = `Enter it again for another ${target ?? 'device or network'}: the stored one is for the earlier target.`
  return (
    <Field
      label={label}
      error={error}
      isRequired={isRequired}
      hint={isNeededAgain ? again : isStored ? 'If empty, the stored one is kept.' : hint}
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
