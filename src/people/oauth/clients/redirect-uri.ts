/** Decides where a browser may be redirected. Compares text, because URL parsers repair it. Pure. */

import { buildAlternation, buildUrlNamePattern, IPV4, URL_PORT } from '../../../contract/fields/text-rules.ts'

export const MAX_REDIRECT_URI = 2048
/** RFC 3986 needs no other characters. Excluded are the backslash, which browsers treat as a slash, and wildcards. */
const CHARACTERS = /^[!-~]+$/
const FORBIDDEN = /[*\\#]/
const PARTS = /^(https?):\/\/(\[[^\]/?#]*\]|[^/?#:[\]]*)(?::(\d{1,5}))?([/?].*)?$/

/** The characters of `CHARACTERS` except `FORBIDDEN`, inside brackets. */
const ALLOWED = '!"$-)+-\\[\\]-~'
/** Like `isRedirectUri`, except that a host of https is a name or an IPv4 address in its usual form. */
export const REDIRECT_URI_PATTERN =
  `^(?:https://${buildAlternation(buildUrlNamePattern(), IPV4)}|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))` +
  `(?::${URL_PORT})?(?:[/?][${ALLOWED}]*)?$`

/** The hosts of the local machine (RFC 8252 7.3, 8.3). */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

type Parts = { readonly scheme: string; readonly host: string; readonly port: string; readonly rest: string }

const parseParts = (uri: string): Parts | undefined => {
  if (uri.length > MAX_REDIRECT_URI || !CHARACTERS.test(uri) || FORBIDDEN.test(uri) || !URL.canParse(uri))
    return undefined
  const [, scheme = '', host = '', port = '', rest = ''] = PARTS.exec(uri) ?? []
  // Rejects a user name before the host; after the host, an @ is an ordinary character.
  return host === '' || host.includes('@') ? undefined : { scheme, host, port, rest }
}

const isLoopbackHttp = ({ scheme, host }: Parts): boolean => scheme === 'http' && LOOPBACK.has(host)

/** True for https, or http to the loopback. @example isRedirectUri('http://127.0.0.1.example.com/cb') // false */
export const isRedirectUri = (uri: string): boolean => {
  const parts = parseParts(uri)
  return parts !== undefined && (parts.scheme === 'https' || isLoopbackHttp(parts))
}

/**
 * Checks that the URI is registered. The texts must be equal, except for the port of a loopback address, because the
 * operating system chooses that port (RFC 8252 7.3).
 * @example isRegistered('http://127.0.0.1:5001/cb', ['http://127.0.0.1/cb']) // true
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean => {
  if (registered.includes(uri)) return true
  const asked = parseParts(uri)
  if (!asked || !isLoopbackHttp(asked)) return false
  return registered.some((one) => {
    const known = parseParts(one)
    return known?.scheme === asked.scheme && known.host === asked.host && known.rest === asked.rest
  })
}

/** Returns the host and port that the user should check, and if it is the local machine. */
export const parseDestination = (uri: string): { readonly host: string; readonly isLoopback: boolean } => {
  const { host, port } = parseParts(uri) ?? { host: '', port: '' }
  return { host: port === '' ? host : `${host}:${port}`, isLoopback: LOOPBACK.has(host) }
}

/** Returns the URI with the parameters appended; omits undefined ones. */
export const buildRedirection = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
