/** The columns of custom fields in a CSV: `custom.owner` holds the value `owner`. Browser-safe. */

export const CUSTOM_PREFIX = 'custom.'
const COLUMN = /^custom\.[a-z][a-z0-9_]{0,49}$/

/** The field of objects with custom fields. */
export const CUSTOM = 'custom'

/** @example isCustomColumn('custom.owner') // true */
export const isCustomColumn = (column: string): boolean => COLUMN.test(column)

/** @example getCustomName('custom.owner') // 'owner' */
export const getCustomName = (column: string): string => column.slice(CUSTOM_PREFIX.length)

const getCustomValues = (row: object): Readonly<Record<string, unknown>> => {
  const custom: unknown = Reflect.get(row, CUSTOM)
  // A value of the contract is a record.
  return typeof custom === 'object' && custom !== null ? (custom as Readonly<Record<string, unknown>>) : {}
}

/** Returns the columns of the custom fields that rows have, by name. */
export const listCustomColumns = (rows: readonly object[]): string[] =>
  [...new Set(rows.flatMap((row) => Object.keys(getCustomValues(row))))].sort().map((name) => `${CUSTOM_PREFIX}${name}`)

/** Returns the value of a row in a column of `listCustomColumns`. */
export const getCustomValue = (row: object, column: string): unknown => {
  const values = getCustomValues(row)
  const name = getCustomName(column)
  return Object.hasOwn(values, name) ? values[name] : undefined
}
