/** Makes the URL of a request whole where the socket could not. */

/**
 * A request with a URL that can be parsed. Bun makes it from the Host header: without one (HTTP/1.0 has none) it is the path
 * alone, and with a broken one it is broken too. Nothing here depends on the host, so none is made up that could mean something.
 */
export const withWholeUrl = (request: Request): Request => {
  const { url } = request
  if (URL.canParse(url)) return request
  const path = url.startsWith('/') ? url : url.replace(/^[^:]*:\/\/[^/]*/, '')
  return new Request(`http://localhost${path}`, request)
}
