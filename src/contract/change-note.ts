/** The header with the reason of a change. Without schemas, because the browser loads this. */

export const NOTE_HEADER = 'X-Change-Note'

/** Decodes percent-encoded UTF-8 (RFC 3986 2.1). A percent sign that begins no valid sequence stays. */
export const decodeNote = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })

/** Encodes a note for the header, so that `decodeNote` returns it unchanged. */
export const encodeNote = (text: string): string =>
  // A lone surrogate has no UTF-8 form.
  text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent)
