/** A definition as its form holds it: as texts. Pure functions. */
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import type { Values } from '../resource/resource.ts'
import type { FormValue } from './known-text.ts'
import type { CustomResource, Target } from './values.ts'

export type FieldType = CustomField['type']

export const TYPE_TITLES: Readonly<Record<FieldType, string>> = {
  text: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Date',
  choice: 'Choice',
  url: 'URL',
  ip: 'IP address',
  reference: 'Reference',
}

/** The types of fields that may have several values. */
export const SEVERAL: readonly FieldType[] = ['choice', 'ip', 'reference']

export const splitLines = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

/** The name of a field in the API, made of its label: its letters and digits. @example toFieldName('A end') // 'a_end' */
export const toFieldName = (label: string): string =>
  label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 50)
    .replace(/_+$/, '')

/** @example parseRenames('gold = platinum') // { gold: 'platinum' } */
export const parseRenames = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    splitLines(text).map((line) => {
      const separator = line.includes(' = ') ? ' = ' : '='
      const [old = '', ...name] = line.split(separator)
      return [old.trim(), name.join(separator).trim()]
    }),
  )

/** Begins a default of several values; no single value has a line break. */
const LIST = '\n'

export const formatDefault = (value: unknown): string =>
  Array.isArray(value) ? LIST + JSON.stringify(value) : value === null || value === undefined ? '' : String(value)

export const readDefault = (text: string): FormValue =>
  text.startsWith(LIST) ? JSON.parse(text.slice(LIST.length)) : text

const parseNumber = (text: string | undefined): number | null => (text?.trim() ? Number(text) : null)

/** A condition as its control holds it. */
export type ConditionText = { readonly field: string; readonly values: readonly string[] }

const NO_CONDITION: ConditionText = { field: '', values: [] }

export const readCondition = (text: string): ConditionText => (text === '' ? NO_CONDITION : JSON.parse(text))

/** @param condition null for none, also of a definition without one */
export const formatCondition = (condition: unknown): string =>
  condition === null || condition === undefined ? '' : JSON.stringify(condition)

/** Returns the definition that a form describes, for the control of its values. */
export const toDefinition = (values: Values): CustomField => {
  const type = (values.type ?? 'text') as FieldType
  const label = values.label?.trim() || values.name?.trim() || 'Custom field'
  const several = values.multiple === 'true' && SEVERAL.includes(type)
  return {
    id: 'preview',
    resource: values.resource as CustomResource,
    name: 'preview',
    ...{ label, type, multiple: several, choices: splitLines(values.choices ?? '') },
    reference_to: (values.reference_to || null) as Target | null,
    required: values.required === 'true',
    unique: values.unique === 'true',
    default: null,
    pattern: values.pattern ?? '',
    minimum: parseNumber(values.minimum),
    maximum: parseNumber(values.maximum),
    searchable: false,
    description: values.description ?? '',
    group: values.group ?? '',
    position: 0,
    refs: {},
    managed_by: '',
    created_at: '',
    updated_at: '',
  }
}
