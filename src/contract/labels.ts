/** The fields by which people name an object, other than its id. */
export const LABEL_FIELDS = ['name', 'username', 'client_name', 'ip_address'] as const

export type Row = Readonly<Record<string, unknown>>

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Returns an object's name; undefined if it has none. */
export const getLabel = (row: Row): string | undefined =>
  LABEL_FIELDS.map((field) => toText(row[field])).find((text) => text !== undefined)

export const getRowId = (row: Row): string | undefined => toText(row.id)
