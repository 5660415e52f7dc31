/** Compares the targets of two URLs: the same scheme, host and port (RFC 6454 section 4). */

/**
 * Returns the origin of a URL. The host is in its canonical form, without the dot of the DNS root. The port that the scheme implies is
 * left out. Undefined for a text that is no URL.
 * @example getOrigin('HTTPS://Hooks.Example.:443/x') // 'https://hooks.example'
 */
export const getOrigin = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (!url?.hostname) return undefined
  const port = url.port === '' ? '' : `:${url.port}`
  return `${url.protocol}//${url.hostname.replace(/\.$/, '')}${port}`
}

/** Compares origins. A text that is no URL has no origin in common with another one. */
export const isSameOrigin = (a: string, b: string): boolean => {
  const origin = getOrigin(a)
  return origin !== undefined && origin === getOrigin(b)
}
