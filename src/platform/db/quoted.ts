/** Quotes a name for both databases. @example quoted('key') // '"key"' */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
