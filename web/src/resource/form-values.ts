/** The values of a form as texts: how they are read from an object, and which input a save sends. Loaded with the first form. */
import { formatLocalMoment } from '../ui/format.ts'
import type { FieldSpec, Input, Resource, Values } from './resource.ts'

export const isShown = (field: FieldSpec, values: Values, isNew: boolean): boolean =>
  field.isShown?.(values, isNew) ?? true

export const createEmptyValues = ({ fields }: Pick<Resource<never>, 'fields'>, given: Values = {}): Values =>
  Object.fromEntries(
    fields.filter(({ of }) => of === undefined).map(({ name, initial = '' }) => [name, given[name] ?? initial]),
  )

/** @example formatItems(['web', 'a, b']) // 'web, "a, b"' */
const formatItems = (items: readonly string[]): string =>
  items.map((one) => (/[",]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(', ')

/** An item in quotes, in which a quote is doubled, or one up to the next comma. */
const ITEM = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/g

/** @example parseItems('web, "a, b",') // ['web', 'a, b'] */
const parseItems = (text: string): string[] =>
  Array.from(text.matchAll(ITEM), ([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim()).filter(
    Boolean,
  )

const toText = (kind: FieldSpec['kind'], value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (kind === 'tags' && Array.isArray(value)) return formatItems(value.map(String))
  return kind === 'moment' ? formatLocalMoment(String(value)).slice(0, 'YYYY-MM-DDTHH:MM'.length) : String(value)
}

export const readValues = ({ fields }: Pick<Resource<never>, 'fields'>, object: object): Values =>
  Object.fromEntries(
    fields
      .filter(({ of }) => of === undefined)
      .map((field) => {
        const value: unknown = Reflect.get(object, field.name)
        return [field.name, field.read ? field.read(value) : toText(field.kind, value)]
      }),
  )

const toInputValue = (kind: FieldSpec['kind'], text: string): unknown => {
  if (kind === 'number') return text.trim() === '' ? null : Number(text)
  if (kind === 'moment') return text === '' ? '' : new Date(text).toISOString()
  if (kind === 'tags') return parseItems(text)
  return kind === 'area' ? text : text.trim()
}

export const getSentValue = ({ name, kind, send }: FieldSpec, values: Values, before?: Values): unknown =>
  send ? send(values[name] ?? '', before?.[name]) : toInputValue(kind, values[name] ?? '')

/** Compares the sent values; a secret is compared as typed, because removed and kept ones may be sent alike. */
const isChanged = (field: FieldSpec, values: Values, before: Values): boolean =>
  values[field.name] !== before[field.name] &&
  (field.isSecret === true ||
    JSON.stringify(getSentValue(field, values)) !== JSON.stringify(getSentValue(field, before)))

/** Returns the input of a save: all fields of a new object, otherwise the changed ones, so that no other change is undone. */
export const buildInput = ({ fields }: Pick<Resource<never>, 'fields'>, values: Values, before?: Values): Input =>
  Object.fromEntries(
    fields
      .filter((field) => field.of === undefined && isShown(field, values, before === undefined))
      .filter((field) => before === undefined || isChanged(field, values, before))
      .map((field) => [field.name, getSentValue(field, values, before)] as const)
      .filter(([, value]) => value !== undefined),
  )
