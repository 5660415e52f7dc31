/** A number that the server can choose: the next free one. */
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import fieldCss from '../../ui/field.module.css'
import { Field } from '../../ui/field.tsx'
import css from './next-field.module.css'

type Props = {
  readonly label: string
  readonly hint?: string | undefined
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isRequired?: boolean
}

const HINT = 'The lowest free number once it is saved; next:100-199 chooses it in a range'

export const NextField = ({ label, hint, error, value, onChange, isRequired = false }: Props) => (
  <Field label={label} hint={value.startsWith('next') ? HINT : hint} error={error} isRequired={isRequired}>
    {(wiring) => (
      <div className={css.row}>
        <input
          {...wiring}
          className={cx(fieldCss.control, 'mono')}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
        <Button onClick={() => onChange('next')}>Next free</Button>
      </div>
    )}
  </Field>
)
