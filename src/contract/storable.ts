/** Characters that no field can hold. Browser-safe. */

/** True for text without NUL and without lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Replaces NUL and lone surrogates. */
export const toStorable = (text: string): string =>
  isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd')
