/**
 * The name of a table or a column, as both databases take it.
 * @example quoted('key') // '"key"'
 */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
