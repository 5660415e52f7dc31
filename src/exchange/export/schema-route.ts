/** The route that answers with the JSON Schema of an estate document. */
import { computeEtag, matchesEtag, quoteEtag } from '../../contract/etag.ts'
import { formatEstateSchema } from '../apply/json-schema.ts'

export const respondWithSchema = (request: Request): Response => {
  const text = formatEstateSchema()
  const etag = computeEtag(text)
  const headers = { ETag: quoteEtag(etag), 'Cache-Control': 'private, no-cache' }
  if (matchesEtag(request.headers.get('if-none-match') ?? '', etag)) return new Response(null, { status: 304, headers })
  return new Response(text, { headers: { ...headers, 'Content-Type': 'application/schema+json' } })
}
