/** The header with the reason of a change. Without schemas, because the browser loads this. */

export const NOTE_HEADER = 'X-Change-Note'

/** Encodes a note for the header, which the server decodes (RFC 3986 2.1). */
export const encodedNote = (text: string): string =>
  // A lone surrogate has no UTF-8 form.
  text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent)
