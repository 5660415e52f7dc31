/** The values of custom fields in a form: one text with all of them, as every field of a form is a text. */
import type { ControlInput } from '../resource/resource.ts'
import type { CustomResource } from './values.ts'

export type CustomFieldsProps = Pick<ControlInput, 'value' | 'onChange' | 'errors' | 'isNew'> & {
  readonly resource: CustomResource
  /** The name of the values in errors, `custom` by default. @example 'addresses[0].custom' */
  readonly at?: string
  /** The heading of the fields without a group. */
  readonly title?: string
  /** The other fields of the form, by which fields with a condition are shown. */
  readonly values?: Readonly<Record<string, string>>
  /** The values belong to several objects, so that unique fields are left out. */
  readonly isShared?: boolean
}

/** A value as it is typed, or a list of the chosen ones. The server reads numbers and booleans from text. */
export type FormValue = string | readonly string[]
export type FormValues = Readonly<Record<string, FormValue>>

export const readForm = (text = ''): FormValues => (text === '' ? {} : JSON.parse(text))

/** @param custom of an object as the server sends it, which has none without values */
export const formatCustom = (custom: unknown): string =>
  custom
    ? JSON.stringify(
        Object.fromEntries(
          Object.entries(custom).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
        ),
      )
    : ''

/**
 * Returns the values to send: of a new object all, of a change the different ones, and undefined for none. An empty one
 * clears.
 * @param before the text of the stored object, of a change
 */
export const parseCustomInput = (text: string, before?: string): Record<string, string | string[]> | undefined => {
  const [values, old] = [readForm(text), readForm(before)]
  const changed = Object.entries(values).filter(
    ([name, value]) =>
      before === undefined || String(value) !== String((Object.hasOwn(old, name) ? old[name] : '') ?? ''),
  )
  const sent = changed.map(([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const)
  return sent.length > 0 ? Object.fromEntries(sent) : undefined
}
