/** Serves a constant text with ETag, 304 and compression, each computed once. */
import { computeEtag, matchesEtag, quoteEtag } from '../../contract/etag.ts'
import { type Coding, compressSync, selectCoding } from '../http/answer/compression.ts'
import { DATA_CACHE_CONTROL } from '../http/headers.ts'

export type ServeText = (request: Request) => Response

export const serveText = (contentType: string, text: string): ServeText => {
  const etag = computeEtag(text)
  // Answers share the bytes of a blob. Of an array each would hold a copy until its client has read it.
  const compressed = new Map<Coding, Blob>()
  const inCoding = (coding: Coding): Blob => {
    const bytes = compressed.get(coding) ?? new Blob([compressSync(coding, text)])
    compressed.set(coding, bytes)
    return bytes
  }
  return (request) => {
    const coding = selectCoding(request.headers.get('accept-encoding'))
    const headers = { ETag: quoteEtag(etag, coding), 'Cache-Control': DATA_CACHE_CONTROL, Vary: 'Accept-Encoding' }
    const held = request.headers.get('if-none-match')
    if (held !== null && matchesEtag(held, etag)) return new Response(null, { status: 304, headers })
    return new Response(coding ? inCoding(coding) : text, {
      headers: { ...headers, 'Content-Type': contentType, ...(coding && { 'Content-Encoding': coding }) },
    })
  }
}
