/** Completes the URL of a request that the socket could not build. */

/**
 * Returns the request with a valid URL. Bun builds it from the Host header. Without one (HTTP/1.0) it is only the path, and an invalid
 * header makes it invalid. No code depends on the host, so a placeholder without a meaning is used.
 */
export const withWholeUrl = (request: Request): Request => {
  const { url } = request
  if (URL.canParse(url)) return request
  const path = url.startsWith('/') ? url : url.replace(/^[^:]*:\/\/[^/]*/, '')
  return new Request(`http://localhost${path}`, request)
}
