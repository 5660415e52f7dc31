/** The route that answers with the JSON Schema of an estate document. */
import { etagOf, matchesEtag, quoted } from '../../../platform/contract/etag.ts'
import { estateSchemaText } from '../apply/json-schema.ts'

export const schemaResponse = (request: Request): Response => {
  const text = estateSchemaText()
  const etag = etagOf(text)
  const headers = { ETag: quoted(etag), 'Cache-Control': 'private, no-cache' }
  if (matchesEtag(request.headers.get('if-none-match') ?? '', etag)) return new Response(null, { status: 304, headers })
  return new Response(text, { headers: { ...headers, 'Content-Type': 'application/schema+json' } })
}
