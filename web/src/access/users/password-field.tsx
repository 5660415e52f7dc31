/** A new password for another user, typed or generated and then shown. */
import { Dices, Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { Field } from '../../ui/field.tsx'
import css from '../access.module.css'
import { generatePassword } from './password.ts'

type Props = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

export const PasswordField = ({ label, value, onChange, error }: Props) => {
  const [isSeen, setSeen] = useState(false)
  const make = () => {
    setSeen(true)
    onChange(generatePassword())
  }
  return (
    <Field
      label={label}
      hint="8 characters or more. Give it to the user in private; the user can change it."
      error={error}
      isRequired
    >
      {(wiring) => (
        <span className={css.password}>
          <input
            {...wiring}
            type={isSeen ? 'text' : 'password'}
            className={`${fieldCss.control} mono`}
            autoComplete="new-password"
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <Button
            isIcon
            aria-label={isSeen ? 'Hide the password' : 'Show the password'}
            onClick={() => setSeen(!isSeen)}
          >
            {isSeen ? <EyeOff size={15} aria-hidden="true" /> : <Eye size={15} aria-hidden="true" />}
          </Button>
          <Button onClick={make}>
            <Dices size={15} aria-hidden="true" />
            Generate
          </Button>
        </span>
      )}
    </Field>
  )
}
