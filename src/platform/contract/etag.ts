/** Strong entity tags (RFC 9110 8.8.3): of a list from the revision of its tables, of an object from its JSON text. */

/** The tag without quotes and without the suffix of a content coding. */
export type Etag = string

/** The tag of a piece of text. Equal text, equal tag. */
export const etagOf = (text: string): Etag => Bun.hash(text).toString(36)

/** @example quoted('abc', 'gzip') // '"abc-gzip"' */
export const quoted = (etag: Etag, coding?: string): string => (coding ? `"${etag}-${coding}"` : `"${etag}"`)

/** Whether an If-Match or If-None-Match header names the tag, in whatever content coding it was sent, or is `*`. */
export const matchesEtag = (header: string, etag: Etag): boolean =>
  header.trim() === '*' ||
  header.split(',').some((one) => {
    const tag = one.trim().replace(/^W\//, '').replace(/^"|"$/g, '')
    return tag === etag || (tag.startsWith(`${etag}-`) && /^(gzip|br|zstd)$/.test(tag.slice(etag.length + 1)))
  })
