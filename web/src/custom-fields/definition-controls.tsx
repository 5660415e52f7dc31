/** The controls of the form of a definition, and the preview of the control that it makes. */
import { useId, useState } from 'react'
import { FACTS } from '../../../src/inventory/resources.ts'
import { CUSTOM, listConditionFields, NAMED_CUSTOM_TYPES } from '../../../src/resource/custom/condition-fields.ts'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { withCapital } from '../resource/facts/from-facts.ts'
import { WITH_CUSTOM } from '../resource/facts/menu-order.ts'
import type { ControlInput, Values } from '../resource/resource.ts'
import fieldCss from '../ui/field.module.css'
import { Checkbox, Field, SelectField, TextArea } from '../ui/field.tsx'
import css from './custom-fields.module.css'
import { readCondition, readDefault, toDefinition } from './definition-text.ts'
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

/** Returns the fields that a condition may name, with their labels and with the values of the ones that have only some. */
const listNamed = (all: readonly CustomField[], { resource = '', name }: Values) => {
  // Objects of kinds have the same fields.
  const facts =
    resource === 'addresses' ? undefined : (WITH_CUSTOM.find((one) => one.name === resource) ?? FACTS.objects)
  const own = [...listConditionFields(facts)].map(
    ([field, values]) => [field, withCapital(field.replace(/_id$/, '').replaceAll('_', ' ')), values] as const,
  )
  const custom = all
    .filter((one) => one.resource === resource && one.name !== name && !one.only_for)
    .filter(({ type }) => NAMED_CUSTOM_TYPES.includes(type))
    .map(
      (one) => [`${CUSTOM}${one.name}`, one.label, one.type === 'boolean' ? ['true', 'false'] : one.choices] as const,
    )
  return [...own, ...custom]
}

const EVERYWHERE = ''

export const ConditionField = ({
  value,
  onChange,
  errors,
  values,
  all,
}: ControlInput & { readonly all: readonly CustomField[] }) => {
  const condition = readCondition(value)
  const named = listNamed(all, values)
  const known = named.find(([field]) => field === condition.field)?.[2] ?? []
  const error = Object.entries(errors).find(([field]) => field.startsWith('only_for.values'))?.[1]
  return (
    <>
      <SelectField
        label="Only where"
        hint="The field is shown and required only for objects for which this holds"
        value={condition.field}
        onChange={(field) => onChange(field === EVERYWHERE ? '' : JSON.stringify({ field, values: [] }))}
        error={errors['only_for.field'] ?? errors.only_for}
        options={[[EVERYWHERE, 'For all objects'], ...named.map(([field, label]) => [field, label] as const)]}
      />
      {condition.field !== EVERYWHERE && (
        <TextArea
          label="Is one of"
          hint={known.length > 0 ? `One on each line: ${known.join(', ')}` : 'One on each line; of a reference the ids'}
          value={condition.values.join('\n')}
          onChange={(text) => onChange(JSON.stringify({ field: condition.field, values: text.split('\n') }))}
          error={error}
        />
      )}
    </>
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
