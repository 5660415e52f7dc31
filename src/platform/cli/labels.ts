/** The fields by which people name an object, other than its id. */
export const LABEL_FIELDS = ['name', 'username', 'client_name', 'ip_address'] as const

export type Row = Readonly<Record<string, unknown>>

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Returns an object's name; undefined if it has none. */
export const labelOf = (row: Row): string | undefined =>
  LABEL_FIELDS.map((field) => asText(row[field])).find((text) => text !== undefined)

export const idOfRow = (row: Row): string | undefined => asText(row.id)
