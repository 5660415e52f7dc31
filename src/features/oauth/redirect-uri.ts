/** Where a browser may be sent with a code: judged by the text itself, because parsers mend what is broken. Pure. */

const MAX_LENGTH = 2048
/** RFC 3986 needs no more than these, without the backslash that browsers take for a slash, and without wildcards. */
const CHARACTERS = /^[!-~]+$/
const FORBIDDEN = /[*\\#]/
const PARTS = /^(https?):\/\/(\[[^\]/?#]*\]|[^/?#:[\]]*)(?::(\d{1,5}))?([/?].*)?$/

/** The hosts that are the machine itself (RFC 8252 7.3, 8.3). */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

type Parts = { readonly scheme: string; readonly host: string; readonly port: string; readonly rest: string }

const partsOf = (uri: string): Parts | undefined => {
  if (uri.length > MAX_LENGTH || !CHARACTERS.test(uri) || FORBIDDEN.test(uri) || !URL.canParse(uri)) return undefined
  const [, scheme = '', host = '', port = '', rest = ''] = PARTS.exec(uri) ?? []
  // A user name in front of the host; behind it, an @ is a character like any other.
  return host === '' || host.includes('@') ? undefined : { scheme, host, port, rest }
}

const isLoopbackHttp = ({ scheme, host }: Parts): boolean => scheme === 'http' && LOOPBACK.has(host)

/**
 * Whether a client may register it: https, or http to the loopback.
 * @example isRedirectUri('http://127.0.0.1.example.com/cb') // false
 */
export const isRedirectUri = (uri: string): boolean => {
  const parts = partsOf(uri)
  return parts !== undefined && (parts.scheme === 'https' || isLoopbackHttp(parts))
}

/**
 * Whether it is one of those registered: the same text, but that the port of a loopback address is free, because a
 * client takes whichever it gets (RFC 8252 7.3).
 * @example isRegistered('http://127.0.0.1:5001/cb', ['http://127.0.0.1/cb']) // true
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean => {
  if (registered.includes(uri)) return true
  const asked = partsOf(uri)
  if (!asked || !isLoopbackHttp(asked)) return false
  return registered.some((one) => {
    const known = partsOf(one)
    return known?.scheme === asked.scheme && known.host === asked.host && known.rest === asked.rest
  })
}

/** The host that a person should look at, with its port, and whether it is their own machine. */
export const destinationOf = (uri: string): { readonly host: string; readonly isLoopback: boolean } => {
  const { host, port } = partsOf(uri) ?? { host: '', port: '' }
  return { host: port === '' ? host : `${host}:${port}`, isLoopback: LOOPBACK.has(host) }
}

/** The address with the parameters that the client is told, those that are undefined left out. */
export const redirection = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
