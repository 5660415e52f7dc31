/** Which web pages may speak to the endpoint: a page of another origin may not, whoever's token it has got hold of. */

const hostOf = (origin: string): string | undefined => {
  try {
    return new URL(origin).host
  } catch {
    // `null`, which a sandboxed page sends, or nonsense: no origin of ours.
    return undefined
  }
}

/**
 * True without an Origin, which only browsers send, for the host that was asked, and for `others`. Streamable HTTP demands
 * it against DNS rebinding.
 */
export const isAllowedOrigin = ({ headers, url }: Request, others: readonly string[]): boolean => {
  const origin = headers.get('origin')
  if (origin === null) return true
  const host = hostOf(origin)
  return host !== undefined && (host === (headers.get('host') ?? new URL(url).host) || others.includes(origin))
}
