/** Cuts the texts of scanners, which are untrusted, to their bounds. Browser-safe. */

/** Returns the beginning of a text, without control characters. */
export const cutText = (text: string, most: number): string =>
  text
    .slice(0, most)
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed()
