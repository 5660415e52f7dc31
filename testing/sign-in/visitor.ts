/** A browser at an identity provider: it keeps cookies and follows redirects until they lead to another site. */

const HOPS = 8

export const visitorAt = (issuer: string) => {
  const jar = new Map<string, string>()
  const send = async (url: URL | string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...init.headers, Cookie: [...jar].map((pair) => pair.join('=')).join('; ') }
    const response = await fetch(new URL(url, issuer), { redirect: 'manual', ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return response
  }
  /** Returns the page at which the provider stops, or the address at another site. */
  const follow = async (from: URL | string): Promise<{ readonly at: URL; readonly page: string }> => {
    let at = new URL(from, issuer)
    for (let hop = 0; hop < HOPS; hop++) {
      const response = await send(at)
      const page = await response.text()
      const to = response.headers.get('location')
      if (to === null) return { at, page }
      at = new URL(to, at)
      if (at.origin !== issuer) return { at, page: '' }
    }
    throw new Error('the provider sends its users round in circles')
  }
  return { send, follow }
}
export type Visitor = ReturnType<typeof visitorAt>
