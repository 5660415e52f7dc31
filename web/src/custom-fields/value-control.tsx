/** The control of one custom field, by its type. */

import { useId, useMemo } from 'react'
import { isResource } from '../../../src/inventory/resources.ts'
import { ChoiceField } from '../resource/form/choice-field.tsx'
import { ManyField } from '../resource/form/many-field.tsx'
import { NextField } from '../resource/form/next-field.tsx'
import { ReferenceField, ReferencesField } from '../resource/form/reference-field.tsx'
import fieldCss from '../ui/field.module.css'
import { Checkbox, SelectField, TextField } from '../ui/field.tsx'
import { type ControlProps, formatHint, toList } from './control.ts'
import css from './custom-fields.module.css'

/** The most choices that are shown as checkboxes. */
const MAX_CHECKBOXES = 8

/** The most choices of a list that is not searched. */
const MAX_LISTED = 7

const UNSET = 'Not set'

const joinHints = (...hints: readonly (string | undefined)[]): string => hints.filter(Boolean).join('. ')

const Checkboxes = ({ definition, value, onChange, error }: ControlProps) => {
  const { label, choices, required } = definition
  const id = useId()
  const chosen = toList(value)
  const hint = formatHint(definition)
  const noteId = `${id}-note`
  const toggle = (choice: string, isOn: boolean) =>
    onChange(choices.filter((one) => (one === choice ? isOn : chosen.includes(one))))
  return (
    <fieldset className={css.checkboxes} aria-describedby={error || hint ? noteId : undefined}>
      <legend>
        {label}
        {required && <span className={fieldCss.optional}> · required</span>}
      </legend>
      {choices.map((choice, at) => (
        <label key={choice} htmlFor={`${id}-${at}`}>
          <Checkbox
            id={`${id}-${at}`}
            checked={chosen.includes(choice)}
            onChange={({ target }) => toggle(choice, target.checked)}
          />
          {choice}
        </label>
      ))}
      {(error || hint) && (
        <p id={noteId} className={error ? fieldCss.error : fieldCss.hint}>
          {error ?? hint}
        </p>
      )}
    </fieldset>
  )
}

const INPUTS = {
  text: {},
  integer: { inputMode: 'numeric', isMono: true },
  number: { inputMode: 'decimal', isMono: true },
  date: { type: 'date' },
  url: { type: 'url' },
  ip: { isMono: true },
} as const

const Reference = ({ definition, value, onChange, error, unset }: ControlProps & { readonly unset: string }) => {
  const { label, multiple, required, reference_to: to } = definition
  const filter = useMemo(() => ({ kind_id: to }), [to])
  // A definition of a reference names a resource, or a kind.
  if (to === null) return null
  const source = isResource(to) ? { to } : { to: 'objects' as const, filter }
  const common = { label, ...source, hint: formatHint(definition), error, isRequired: required }
  const chosen = toList(value)
  return multiple ? (
    <ReferencesField {...common} value={chosen} onChange={onChange} />
  ) : (
    <ReferenceField
      {...common}
      none={required ? undefined : unset}
      value={chosen[0] ?? ''}
      onChange={(id) => onChange(id)}
    />
  )
}

const Choices = ({ definition, value, onChange, error }: ControlProps) => (
  <ManyField
    label={definition.label}
    hint={formatHint(definition)}
    error={error}
    isRequired={definition.required}
    choices={definition.choices.map((choice) => [choice, choice])}
    value={toList(value)}
    onChange={onChange}
  />
)

/** @param unset the text of the choice without a value */
export const ValueControl = ({ unset = UNSET, ...props }: ControlProps & { readonly unset?: string }) => {
  const { definition, onChange, error } = props
  const { label, type, choices, multiple, required, unique } = definition
  if (type === 'reference') return <Reference {...props} unset={unset} />
  if (multiple && type !== 'ip')
    return choices.length > MAX_CHECKBOXES ? <Choices {...props} /> : <Checkboxes {...props} />
  const value = multiple ? toList(props.value).join('; ') : (toList(props.value)[0] ?? '')
  const hint = multiple ? joinHints(formatHint(definition), 'Several are separated by ;') : formatHint(definition)
  const common = { label, hint, value, onChange, error }
  if (type === 'integer' && unique) return <NextField {...common} isRequired={required} />
  if (type !== 'boolean' && type !== 'choice') return <TextField {...common} {...INPUTS[type]} required={required} />
  const options =
    type === 'boolean'
      ? ([
          ['true', 'Yes'],
          ['false', 'No'],
        ] as const)
      : choices.map((choice) => [choice, choice] as const)
  if (options.length > MAX_LISTED)
    return <ChoiceField {...common} choices={options} none={required ? undefined : unset} isRequired={required} />
  // A choice that was taken away may still be the value of an object.
  const isListed = value === '' || options.some(([one]) => one === value)
  return (
    <SelectField
      {...common}
      label={required ? `${label} · required` : label}
      options={[['', unset], ...(isListed ? [] : [[value, value] as const]), ...options]}
    />
  )
}
