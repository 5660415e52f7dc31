/** The condition of a custom field: to which objects it applies. No queries. */
import { CUSTOM } from './condition-fields.ts'
import type { Custom, CustomValue } from './fields.ts'
import type { CustomField, OnlyFor } from './schema.ts'

type Values = Readonly<Record<string, unknown>>

const hasText = (value: unknown, wanted: ReadonlySet<string>): boolean =>
  [value ?? []].flat().some((one) => wanted.has(String(one).toLowerCase()))

/**
 * True if a field applies to an object.
 * @param custom the values of its custom fields
 */
export const applies = (
  { only_for }: Pick<CustomField, 'only_for'>,
  object: Values,
  custom: { readonly get: (name: string) => CustomValue | undefined },
): boolean => {
  if (!only_for) return true
  const { field, values } = only_for
  const value = field.startsWith(CUSTOM) ? custom.get(field.slice(CUSTOM.length)) : object[field]
  return hasText(value, new Set(values.map((one) => one.toLowerCase())))
}

/** Like `applies`, for values as they are stored. */
export const appliesTo = (field: Pick<CustomField, 'only_for'>, object: Values, custom: Custom): boolean =>
  applies(field, object, { get: (name) => (Object.hasOwn(custom, name) ? custom[name] : undefined) })

/** @example formatCondition({ field: 'role', values: ['switch', 'router'] }) // 'role is switch or router' */
export const formatCondition = ({ field, values }: OnlyFor): string => {
  const last = values.at(-1) ?? ''
  const others = values.slice(0, -1)
  return `${field} is ${others.length === 0 ? last : `${others.join(', ')} or ${last}`}`
}
