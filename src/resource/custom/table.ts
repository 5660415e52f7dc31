/** The tables of custom fields and of their values. */
export type CustomFieldRow = {
  id: string
  /** The key of its values in `custom_values`. A number is not given again while there are values. */
  number: number
  resource: string
  name: string
  /** The name in lower case, equal to `name`. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  label: string
  type: string
  multiple: number
  /** JSON text. */
  choices: string
  reference_to: string | null
  required: number
  unique: number
  /** JSON text. */
  default: string
  pattern: string
  /** Text, because SQL numbers differ. */
  minimum: string | null
  maximum: string | null
  searchable: number
  description: string
  group: string
  /** Lower case, for the order of lists. */
  group_key: string
  position: number
  /** JSON text; null if it applies to all objects. */
  only_for: string | null
  /** JSON text. */
  refs: string
  managed_by: string
  created_at: string
  updated_at: string
}

/**
 * The values of all objects, by which lists filter and sort, and which name the values in use. `value` is the key of `values.ts`.
 * `object_id` of an address of a device is the id of the device, a space and the position.
 */
export type CustomValueRow = { field: number; value: string; object_id: string }

export type CustomFieldTables = { custom_fields: CustomFieldRow; custom_values: CustomValueRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends CustomFieldTables {}
}
