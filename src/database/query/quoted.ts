/** Quotes a name for both databases. @example quoteName('key') // '"key"' */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`
