/** The write-only signing key. A stored key is kept, replaced or removed. */
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Field } from '../ui/field.tsx'
import css from './webhooks.module.css'

/** The value of the form: '' keeps the key, a prefix marks a typed key, and another mark removes the key. */
const TYPED = '='
const NONE = '-'

export const toSentSecret = (text: string): string => (text.startsWith(TYPED) ? text.slice(TYPED.length) : '')

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
  /** True if a key is stored. */
  readonly isStored: boolean
  /** True if the stored key was entered for another target than the typed one. */
  readonly isNeededAgain: boolean
}

const getHint = ({ isStored, isNeededAgain }: Pick<Props, 'isStored' | 'isNeededAgain'>): string => {
  if (isNeededAgain) return 'Enter it again for another scheme, host or port: the stored one is for the earlier target.'
  return isStored
    ? 'The new one. If empty, the old one is kept.'
    : 'Deliveries are signed with it, so that the receiver can verify the sender.'
}

export const WebhookSecret = ({ value, onChange, error, isStored, isNeededAgain }: Props) => {
  const [isReplacing, setReplacing] = useState(false)
  const isAsked = isReplacing || isNeededAgain || error !== undefined
  if (isStored && (value === NONE || !isAsked))
    return (
      <div className={fieldCss.field}>
        <span className={fieldCss.label}>Secret</span>
        <span className={css.stored}>
          <span className="muted">
            {value === NONE
              ? 'It is removed when you save. Deliveries are then not signed.'
              : "Stored; it can't be shown."}
          </span>
          {value === NONE ? (
            <Button onClick={() => onChange('')}>Keep it</Button>
          ) : (
            <>
              <Button onClick={() => setReplacing(true)} aria-label="Replace the secret">
                Replace
              </Button>
              <Button onClick={() => onChange(NONE)} aria-label="Remove the secret">
                Remove
              </Button>
            </>
          )}
        </span>
      </div>
    )
  return (
    <Field label="Secret" error={error} hint={getHint({ isStored, isNeededAgain })}>
      {(wiring) => (
        <span className={css.stored}>
          <input
            {...wiring}
            type="password"
            className={`${fieldCss.control} mono`}
            autoComplete="new-password"
            value={toSentSecret(value)}
            onChange={({ target }) => onChange(target.value === '' ? '' : TYPED + target.value)}
          />
          {isStored && !isNeededAgain && (
            <Button
              onClick={() => {
                onChange('')
                setReplacing(false)
              }}
            >
              Keep the old one
            </Button>
          )}
          {isStored && isNeededAgain && (
            <Button onClick={() => onChange(NONE)} aria-label="Remove the secret">
              Remove
            </Button>
          )}
        </span>
      )}
    </Field>
  )
}
