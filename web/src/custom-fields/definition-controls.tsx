/** The controls of the form of a definition, and the preview of the control that it makes. */
import { useId, useState } from 'react'
import type { ControlInput, Values } from '../resource/resource.ts'
import fieldCss from '../ui/field.module.css'
import { Checkbox, Field } from '../ui/field.tsx'
import css from './custom-fields.module.css'
import { readDefault, toDefinition } from './definition-text.ts'
import type { FormValue } from './known-text.ts'
import { ValueControl } from './value-control.tsx'

export const CheckField = ({ label, hint, value, onChange, error }: ControlInput & { label: string; hint: string }) => {
  const id = useId()
  return (
    <div className={css.check}>
      <label htmlFor={id}>
        <Checkbox
          id={id}
          checked={value === 'true'}
          onChange={({ target }) => onChange(String(target.checked))}
          aria-describedby={`${id}-note`}
          aria-invalid={error !== undefined || undefined}
        />
        {label}
      </label>
      <p id={`${id}-note`} className={error === undefined ? fieldCss.hint : fieldCss.error}>
        {error ?? hint}
      </p>
    </div>
  )
}

export const GroupField = ({
  value,
  onChange,
  error,
  groups,
}: ControlInput & { readonly groups: readonly string[] }) => {
  const listId = useId()
  return (
    <Field label="Group" hint="The heading above the field in forms" error={error}>
      {(wiring) => (
        <>
          <input
            {...wiring}
            className={fieldCss.control}
            list={listId}
            autoComplete="off"
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
          <datalist id={listId}>
            {groups.map((group) => (
              <option key={group} value={group} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

export const Preview = ({ values }: { readonly values: Values }) => {
  const [value, setValue] = useState<FormValue>()
  const definition = toDefinition(values)
  const key = `${definition.type} ${definition.multiple} ${definition.reference_to}`
  return (
    <fieldset className={css.preview}>
      <legend>Preview</legend>
      <ValueControl
        key={key}
        definition={definition}
        value={value ?? readDefault(values.default ?? '')}
        onChange={setValue}
        error={undefined}
      />
    </fieldset>
  )
}
