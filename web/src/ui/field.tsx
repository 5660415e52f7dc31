/** A form field with its label, hint and server error. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from './cx.ts'
import css from './field.module.css'

type Described = {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

type Wiring = { readonly id: string; readonly 'aria-invalid'?: true; readonly 'aria-describedby'?: string }

type FieldProps = Described & { readonly isRequired?: boolean; readonly children: (wiring: Wiring) => ReactNode }

/** Messages of the server begin with a verb: the subject is the field. @example 'is required' */
const PREDICATE =
  /^(is|are|has|have|must|may|needs?|cannot|can't|would|does|overlaps|begins|ends|names|contains|holds|lies|belongs|takes) /

export const toSentence = (label: string, error: string): string =>
  PREDICATE.test(error) ? `${label} ${error}` : error

export const Field = ({ label, hint, error, isRequired, children }: FieldProps) => {
  const id = useId()
  const noteId = `${id}-note`
  const hasNote = error !== undefined || hint !== undefined
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
        {isRequired && <span className={css.optional}> · required</span>}
      </label>
      {children({
        id,
        ...(error === undefined ? {} : { 'aria-invalid': true }),
        ...(hasNote ? { 'aria-describedby': noteId } : {}),
      })}
      {hasNote && (
        <p id={noteId} className={error === undefined ? css.hint : css.error}>
          {error === undefined ? hint : toSentence(label, error)}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = Described &
  Omit<ComponentProps<'input'>, 'onChange' | 'value'> & {
    readonly value: string
    readonly onChange: (value: string) => void
    readonly isMono?: boolean
  }

export const TextField = ({ label, hint, error, value, onChange, isMono, required, ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error} {...(required ? { isRequired: true } : {})}>
    {(wiring) => (
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        {...wiring}
        className={cx(css.control, isMono && 'mono')}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
)

type TextAreaProps = Described & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string | undefined
}

export const TextArea = ({ label, hint, error, value, onChange, placeholder }: TextAreaProps) => (
  <Field label={label} hint={hint} error={error}>
    {(wiring) => (
      <textarea
        {...wiring}
        className={css.control}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
)

type SelectFieldProps = Described & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, text: string, note?: string | undefined])[]
  readonly isDisabled?: boolean
}

export const SelectField = ({ label, hint, error, value, onChange, options, isDisabled = false }: SelectFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(wiring) => (
      <select
        {...wiring}
        className={css.control}
        disabled={isDisabled}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & { readonly isMixed?: boolean }

export const Checkbox = ({ isMixed = false, className, ...rest }: CheckboxProps) => (
  <input
    type="checkbox"
    className={cx(css.check, className)}
    ref={(element) => {
      if (element) element.indeterminate = isMixed
    }}
    {...rest}
  />
)

export const Alert = ({ children, isWarning }: { readonly children: ReactNode; readonly isWarning?: boolean }) => (
  <div role="alert" className={cx(css.alert, isWarning && css.alertWarn)}>
    {children}
  </div>
)
