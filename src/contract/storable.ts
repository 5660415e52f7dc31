/** Characters that no field can hold. Browser-safe. */

/** Replaces NUL and lone surrogates. */
export const toStorable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\ufffd')
