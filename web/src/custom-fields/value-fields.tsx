/** The controls of custom fields in a form, by group. */
import { useQuery } from '@tanstack/react-query'
import { CUSTOM } from '../../../src/resource/custom/condition-fields.ts'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { cx } from '../ui/cx.ts'
import css from './custom-fields.module.css'
import { collectGroups, definitionsQuery, getUngrouped } from './definitions.ts'
import { type CustomFieldsProps, type FormValue, type FormValues, readForm } from './known-text.ts'
import { ValueControl } from './value-control.tsx'

const toFormValue = ({ default: usual }: CustomField): FormValue =>
  Array.isArray(usual) ? usual : usual === null ? '' : String(usual)

/** Finds the error of a field. An error of a list names the item: `custom.roles[1]`. */
const findError = (errors: CustomFieldsProps['errors'], name: string): string | undefined =>
  errors[name] ?? Object.entries(errors).find(([field]) => field.startsWith(`${name}[`))?.[1]

type Shown = Pick<CustomFieldsProps, 'values' | 'isNew'> & {
  readonly definitions: readonly CustomField[]
  readonly custom: FormValues
}

/** A field is shown where its condition holds, where the form does not tell, and as long as it has a value. */
const isShown = ({ name, only_for }: CustomField, { definitions, custom, values, isNew }: Shown): boolean => {
  if (!only_for || [custom[name] ?? []].flat().some((text) => text !== '')) return true
  const named = definitions.find((one) => `${CUSTOM}${one.name}` === only_for.field)
  const held = named ? (custom[named.name] ?? (isNew ? toFormValue(named) : '')) : values?.[only_for.field]
  if (held === undefined) return true
  const texts = (named ? [held].flat() : String(held).split(',')).map((text) => text.trim().toLowerCase())
  return only_for.values.some((one) => texts.includes(one.toLowerCase()))
}

type Props = Omit<CustomFieldsProps, 'resource' | 'isShared'> & { readonly definitions: readonly CustomField[] }

/** The controls of given definitions, such as in the preview of the editor. */
export const FieldControls = ({
  definitions,
  value,
  onChange,
  errors,
  isNew,
  title,
  at = 'custom',
  ...form
}: Props) => {
  const values = readForm(value)
  const shown = definitions.filter((one) => isShown(one, { definitions, custom: values, isNew, ...form }))
  // The values of an address stand among its fields.
  const isNested = at !== 'custom' && title === undefined
  return collectGroups(shown).map(([group, fields]) => (
    <fieldset key={group} className={cx(css.group, isNested && css.nested)}>
      <legend className={isNested && group === '' ? 'sr' : undefined}>
        {group || title || getUngrouped(fields[0]?.resource ?? '')}
      </legend>
      {fields.map((one) => (
        <ValueControl
          key={one.id}
          definition={one}
          value={values[one.name] ?? (isNew ? toFormValue(one) : '')}
          onChange={(next) => onChange(JSON.stringify({ ...values, [one.name]: next }))}
          error={findError(errors, `${at}.${one.name}`)}
        />
      ))}
    </fieldset>
  ))
}

const NONE: readonly CustomField[] = []

export const ValueFields = ({ resource, isShared = false, ...props }: CustomFieldsProps) => {
  const { data = NONE } = useQuery(definitionsQuery)
  const shown = data.filter((one) => one.resource === resource && !(isShared && one.unique))
  return <FieldControls definitions={shown} {...props} />
}
