/** Strong entity tags (RFC 9110 8.8.3): of a list from the revision of its tables, of an object from its JSON text. */

/** The tag without quotes and without the suffix of a content coding. */
export type Etag = string

/** Returns the tag of a text. Equal texts have equal tags. */
export const computeEtag = (text: string): Etag => Bun.hash(text).toString(36)

/** @example quoteEtag('abc', 'gzip') // '"abc-gzip"' */
export const quoteEtag = (etag: Etag, coding?: string): string => (coding ? `"${etag}-${coding}"` : `"${etag}"`)

/** Returns true if an If-Match or If-None-Match header names the tag, in any content coding, or is `*`. */
export const matchesEtag = (header: string, etag: Etag): boolean =>
  header.trim() === '*' ||
  header.split(',').some((one) => {
    const tag = one.trim().replace(/^W\//, '').replace(/^"|"$/g, '')
    return tag === etag || (tag.startsWith(`${etag}-`) && /^(gzip|br|zstd)$/.test(tag.slice(etag.length + 1)))
  })
