/**
 * Quotes the name of a table or a column for both databases.
 * @example quoted('key') // '"key"'
 */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
