/** Turns what a handler answered into a response: ETag and 304, total count, compression, streaming in bounded memory. */
import { JsonList, JsonText } from '../answer.ts'
import { etagOf, matchesEtag, quoted } from '../etag.ts'
import { acceptedCoding, compressedBytes, compressedStream } from './compression.ts'
import { DATA_CACHE_CONTROL } from './headers.ts'

/** Bodies up to this size are not worth compressing. */
const COMPRESS_ABOVE_BYTES = 1024

export type Reply = { readonly request: Request; readonly status: number; readonly isRead: boolean }

const JSON_TYPE = 'application/json'
const encoder = new TextEncoder()

const headersFor = (etag: string | undefined, coding: string | undefined): Record<string, string> => ({
  'Content-Type': JSON_TYPE,
  'Cache-Control': DATA_CACHE_CONTROL,
  Vary: 'Accept-Encoding',
  ...(etag === undefined ? {} : { ETag: quoted(etag, coding) }),
  ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
})

const isCurrent = (request: Request, etag: string): boolean => {
  const header = request.headers.get('if-none-match')
  return header !== null && matchesEtag(header, etag)
}

const notModified = (etag: string): Response =>
  new Response(null, {
    status: 304,
    headers: { ETag: quoted(etag), 'Cache-Control': DATA_CACHE_CONTROL, Vary: 'Accept-Encoding' },
  })

const respondText = ({ request, status, isRead }: Reply, json: string, total?: number): Response => {
  const etag = isRead || status < 300 ? etagOf(json) : undefined
  if (isRead && etag !== undefined && isCurrent(request, etag)) return notModified(etag)
  const coding = json.length > COMPRESS_ABOVE_BYTES ? acceptedCoding(request.headers.get('accept-encoding')) : undefined
  const headers = headersFor(etag, coding)
  if (total !== undefined) headers['X-Total-Count'] = String(total)
  return new Response(coding ? compressedBytes(coding, json) : json, { status, headers })
}

async function* jsonArray(rows: AsyncIterable<readonly string[]>): AsyncGenerator<Uint8Array> {
  let opening = '['
  for await (const chunk of rows) {
    if (chunk.length === 0) continue
    yield encoder.encode(opening + chunk.join(','))
    opening = ','
  }
  yield encoder.encode(opening === '[' ? '[]' : ']')
}

const respondList = async ({ request, status }: Reply, list: JsonList<unknown>): Promise<Response> => {
  const { pathname, search } = new URL(request.url)
  const etag = etagOf(`${list.parts.revision} ${pathname}${search}`)
  if (isCurrent(request, etag)) return notModified(etag)
  const total = await list.parts.total()
  const coding = total > 0 ? acceptedCoding(request.headers.get('accept-encoding')) : undefined
  const headers = { ...headersFor(etag, coding), 'X-Total-Count': String(total) }
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  const bytes = jsonArray(list.parts.rows())
  return new Response(coding ? compressedStream(coding, bytes) : streamOf(bytes), { status, headers })
}

/** A pull stream: the next chunk is read when the client has taken the last one. */
export const streamOf = (bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await bytes.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await bytes.return(undefined)
    },
  })

/** The response to an answer of `kernel.run`. */
export const respond = async (reply: Reply, answer: unknown): Promise<Response> => {
  if (answer === undefined) return new Response(null, { status: reply.status === 200 ? 204 : reply.status })
  if (answer instanceof JsonText) return respondText(reply, answer.json)
  if (answer instanceof JsonList) return respondList(reply, answer)
  return respondText(reply, JSON.stringify(answer), Array.isArray(answer) ? answer.length : undefined)
}
