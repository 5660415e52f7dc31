/** The path to open after a sign-in. Anything else would make Plat an open redirector (RFC 9700 section 4.11). Pure. */

/** Any origin: only the path is kept. */
const ORIGIN = 'http://plat.invalid'
/** No longer path is stored. */
const MAX_LENGTH = 4096

/**
 * Returns the path of this server that the text names, encoded; `/` for any other text.
 * @example returnPath('/devices?q=a b') // '/devices?q=a%20b'
 * @example returnPath('//example.com') // '/'
 */
export const returnPath = (text: string | null): string => {
  if (text === null || !text.startsWith('/') || text.length > MAX_LENGTH || !text.isWellFormed()) return '/'
  // Browsers drop some characters, take \ for /, and resolve dot segments; the parser does the same.
  const url = URL.parse(text, ORIGIN)
  if (url?.origin !== ORIGIN) return '/'
  const path = url.pathname + url.search + url.hash
  return path.startsWith('//') || path.length > MAX_LENGTH ? '/' : path
}
