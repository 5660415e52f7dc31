/** How the values of custom fields are shown, searched, sorted and filtered. Also runs in the worker of the devices. */

import { DEFAULT_SPACE, parseIpKey } from '../../../src/net/ip.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import type { SortKey, TableSpec } from '../table/engine.ts'

export type CustomResource = CustomField['resource']

/** A resource of objects that a reference may name. */
export type Target = NonNullable<CustomField['reference_to']>

/** The part of a definition that decides how its values are shown. */
export type Definition = Pick<
  CustomField,
  'name' | 'label' | 'type' | 'multiple' | 'choices' | 'reference_to' | 'searchable'
>

export type Value = string | number | boolean | readonly string[]
type Values = Readonly<Record<string, Value>>

/** An object with shown values. */
export type WithCustom = { readonly id: string; readonly custom?: Values | undefined }

export type FactsProps = {
  readonly resource: CustomResource
  readonly object: WithCustom
  /** Terms and values for a list that the page has. */
  readonly isPlain?: boolean
}

/** The names of the objects that references name, by their ids. */
export type RefNames = ReadonlyMap<string, string>

/** @example toColumnId('owner') // 'custom.owner' */
export const toColumnId = (name: string): string => `custom.${name}`

export const getOwnValue = ({ custom }: WithCustom, { name }: Pick<Definition, 'name'>): Value | undefined =>
  custom && Object.hasOwn(custom, name) ? custom[name] : undefined

const formatItem = ({ type }: Pick<Definition, 'type'>, value: string | number | boolean, names: RefNames): string => {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return type === 'reference' ? (names.get(String(value)) ?? String(value)) : String(value)
}

/** Returns the texts of a value: several of a field with several, none without a value. */
export const toTexts = (definition: Definition, value: Value | undefined, names: RefNames): string[] => {
  if (value === undefined) return []
  return typeof value === 'object'
    ? value.map((one) => formatItem(definition, one, names))
    : [formatItem(definition, value, names)]
}

const sortKey =
  (definition: Definition, names: RefNames) =>
  (row: WithCustom): SortKey | undefined => {
    const value = getOwnValue(row, definition)
    if (typeof value === 'number') return value
    const [text] = toTexts(definition, value, names)
    if (text === undefined) return undefined
    return (definition.type === 'ip' && parseIpKey(text, DEFAULT_SPACE)) || toSortKey(text)
  }

/** @param wanted in lower case */
type Holds = (value: Value, wanted: string) => boolean

const ANY = '*'

const createMatcher = (definition: Definition, names: RefNames): Holds => {
  const { type } = definition
  if (type === 'integer' || type === 'number') return (value, wanted) => value === Number(wanted)
  if (type === 'boolean')
    return (value, wanted) => String(value).startsWith(wanted) || (value ? 'yes' : 'no') === wanted
  if (type === 'reference')
    return (value, wanted) =>
      [value].flat().some((id) => id === wanted || (names.get(String(id)) ?? '').toLowerCase().includes(wanted))
  if (type === 'ip')
    return (value, wanted) => {
      const key = parseIpKey(wanted, DEFAULT_SPACE)
      const isHeld = (ip: string) => (key ? parseIpKey(ip, DEFAULT_SPACE) === key : ip.startsWith(wanted))
      return [value].flat().some((one) => isHeld(String(one)))
    }
  const isPart = type === 'text' || type === 'url'
  return (value, wanted) =>
    [value].flat().some((one) => {
      const text = String(one).toLowerCase()
      return isPart ? text.includes(wanted) : text.startsWith(wanted)
    })
}

const isAtLeast: Holds = (value, wanted) =>
  typeof value === 'number' ? value >= Number(wanted) : String(value) >= wanted

/** Compares dates, which may be cut: `2027` holds until the end of the year. */
const isAtMost: Holds = (value, wanted) =>
  typeof value === 'number' ? value <= Number(wanted) : String(value).slice(0, wanted.length) <= wanted

const HAVE_RANGES: ReadonlySet<Definition['type']> = new Set(['integer', 'number', 'date'])
/** The types with values that are offered as completions. */
const HAVE_FACETS: ReadonlySet<Definition['type']> = new Set(['text', 'choice', 'boolean', 'reference'])

type Filter = (row: WithCustom, wanted: string) => boolean

const createFilters = (definition: Definition, names: RefNames): Readonly<Record<string, Filter>> => {
  const { name, type } = definition
  const test =
    (holds: Holds): Filter =>
    (row, wanted) => {
      const value = getOwnValue(row, definition)
      return value !== undefined && (wanted === ANY || holds(value, wanted))
    }
  const ranges = { [`${name}.min`]: test(isAtLeast), [`${name}.max`]: test(isAtMost) }
  return { [name]: test(createMatcher(definition, names)), ...(HAVE_RANGES.has(type) && ranges) }
}

/** Entries are found by `custom.<name>`, and by the bare name unless the list has a filter of that name. */
const withBothNames = <T>(entries: readonly (readonly [string, T])[], taken: object): Readonly<Record<string, T>> => ({
  ...Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(taken, name))),
  ...Object.fromEntries(entries.map(([name, one]) => [toColumnId(name), one])),
})

const normalizeSpaces = (text: string): string => text.replace(/\s+/g, ' ')

/** Adds custom fields to the words, orders, filters and completions of a list. */
export const withCustomFields = <T extends WithCustom>(
  spec: TableSpec<T>,
  definitions: readonly Definition[],
  names: RefNames,
): TableSpec<T> => {
  const searched = definitions.filter(({ searchable, type }) => searchable || type === 'ip')
  const sorted = definitions.filter(({ multiple }) => !multiple)
  const filters = definitions.flatMap((one) => Object.entries(createFilters(one, names)))
  const facets = definitions
    .filter(({ type }) => HAVE_FACETS.has(type))
    .map((one) => [one.name, (row: T) => toTexts(one, getOwnValue(row, one), names).map(normalizeSpaces)] as const)
  return {
    ...spec,
    text: (row) =>
      [spec.text(row), ...searched.flatMap((one) => toTexts(one, getOwnValue(row, one), names))].join('\n'),
    sorts: {
      ...spec.sorts,
      ...Object.fromEntries(sorted.map((one) => [toColumnId(one.name), sortKey(one, names)])),
    },
    fields: { ...spec.fields, ...withBothNames(filters, spec.fields) },
    facets: { ...spec.facets, ...withBothNames(facets, spec.fields) },
  }
}
