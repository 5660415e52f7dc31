/** A field of a bulk edit: left as it is until it is touched, with the values that the devices have below it. */
import type { ReactNode } from 'react'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import type { FieldSpec, Values } from '../../resource/resource.ts'
import { FieldInput } from '../../resource/resource-form.tsx'
import { cx } from '../../ui/cx.ts'
import fieldCss from '../../ui/field.module.css'
import { SelectField } from '../../ui/field.tsx'
import css from './bulk.module.css'

export const LEAVE = 'Leave as is'
/** The value of that choice, which no field has. */
const LEFT = ' '

type TouchProps = {
  /** Names the field in the names of its buttons. */
  readonly label: string
  readonly isTouched: boolean
  readonly isEmpty: boolean
  /** Undefined if the field cannot be empty. */
  readonly onClear: (() => void) | undefined
  readonly onLeave: () => void
  readonly children: ReactNode
}

/** A control with the buttons that clear the field, and that leave it as it is. */
export const Touchable = ({ label, isTouched, isEmpty, onClear, onLeave, children }: TouchProps) => (
  <div className={css.field}>
    {children}
    {isTouched && isEmpty && <p className={fieldCss.note}>Cleared from each of them.</p>}
    {(isTouched || onClear) && (
      <button
        type="button"
        className={cx('link', css.touch)}
        aria-label={isTouched ? `Leave ${label} as it is` : `Clear ${label}`}
        onClick={isTouched ? onLeave : onClear}
      >
        {isTouched ? LEAVE : 'Clear'}
      </button>
    )}
  </div>
)

type Props = {
  readonly field: FieldSpec
  /** Undefined while it is not touched. */
  readonly value: string | undefined
  /** Undefined leaves it as it is. */
  readonly onChange: (value: string | undefined) => void
  readonly counts: string | undefined
  readonly errors: Readonly<Record<string, string>>
  readonly values: Values
}

export const BulkField = ({ field, value, onChange, counts, errors, values }: Props) => {
  const { name, label, kind, options = [] } = field
  const error = errors[name]
  const placeholder = value === undefined ? LEAVE : ''
  const common = { label, hint: counts, error }
  if (kind === 'select')
    return (
      <SelectField
        {...common}
        value={value ?? LEFT}
        onChange={(next) => onChange(next === LEFT ? undefined : next)}
        options={[[LEFT, LEAVE], ...options]}
      />
    )
  if (kind === 'reference' && field.to)
    return (
      <Touchable
        label={label}
        isTouched={value !== undefined}
        isEmpty={value === ''}
        onClear={() => onChange('')}
        onLeave={() => onChange(undefined)}
      >
        <ReferenceField {...common} to={field.to} value={value ?? ''} onChange={onChange} placeholder={placeholder} />
      </Touchable>
    )
  const { hint: _, isRequired: __, ...plain } = field
  const isTag = name.endsWith('_tags')
  return (
    <Touchable
      label={label}
      isTouched={value !== undefined}
      isEmpty={value === '' && !isTag}
      onClear={isTag ? undefined : () => onChange('')}
      onLeave={() => onChange(undefined)}
    >
      <FieldInput
        field={{ ...plain, placeholder: isTag ? '' : placeholder, ...(counts !== undefined && { hint: counts }) }}
        value={value ?? ''}
        onChange={onChange}
        error={error}
        isNew={false}
        errors={errors}
        values={values}
      />
    </Touchable>
  )
}
