/** Cleans untrusted text: decodes it, limits it, and removes control characters. Not HTML-safe. Pure. */

/** Control characters, line and paragraph separators, bidirectional controls, and invisible characters. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/gu
const SPACES = /[\t\r\n\v\f ]+/g

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 where it is, else Latin-1, which any bytes are. */
export const decode = (bytes: Uint8Array): string => {
  try {
    return strict.decode(bytes)
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
}

/** At most so many bytes of UTF-8, cut between characters. */
export const cut = (text: string, bytes: number): string => {
  if (Buffer.byteLength(text) <= bytes) return text
  // A character takes three bytes at most for each unit of the text; a half one at the end is dropped by the decoder.
  const head = Buffer.from(text.slice(0, bytes)).subarray(0, bytes)
  return head.toString('utf8').replace(/\ufffd+$/, '')
}

/** One line, at most so many bytes. */
export const cleanText = (text: string, bytes = 255): string =>
  cut(
    text
      .slice(0, bytes * 2)
      .replace(SPACES, ' ')
      .replace(UNSEEN, '\ufffd')
      .trim(),
    bytes,
  )

/** Returns the letters of a DNS or host name (RFC 1123), or nothing: a name that has others is none. */
export const cleanName = (text: string): string => {
  const name = text.trim().replace(/\.$/, '')
  return name.length <= 253 && /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/i.test(name) ? name : ''
}
