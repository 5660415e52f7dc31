/** Turns a result into an HTTP answer: ETag and 304, total count, compression, streaming. */

import { computeEtag, matchesEtag, quoteEtag } from '../../../contract/etag.ts'
import { JsonList, JsonText, WithStatus } from '../../../kernel/handler-result.ts'
import { DATA_CACHE_CONTROL } from '../headers.ts'
import type { Answered, RequestContext } from '../request-context.ts'
import { compress, compressSource, selectCoding } from './compression.ts'
import type { Source } from './response-stream.ts'

/** Bodies up to this size are not compressed. */
const SMALL_BYTES = 1024
/** Larger bodies are sent piece by piece. Smaller ones fit into the buffer of a socket. */
const WHOLE_BYTES = 64 * 1024

export type Reply = {
  readonly context: RequestContext
  readonly status: number
  readonly isRead: boolean
}

const JSON_TYPE = 'application/json'
const encoder = new TextEncoder()

const buildHeaders = (etag: string | undefined, coding?: string): Record<string, string> => {
  const headers: Record<string, string> = {
    'Content-Type': JSON_TYPE,
    'Cache-Control': DATA_CACHE_CONTROL,
    Vary: 'Accept-Encoding',
  }
  if (etag !== undefined) headers.ETag = quoteEtag(etag, coding)
  if (coding !== undefined) headers['Content-Encoding'] = coding
  return headers
}

const isCurrent = ({ raw }: RequestContext, etag: string): boolean => {
  const header = raw.headers.get('if-none-match')
  return header !== null && matchesEtag(header, etag)
}

const createNotModified = (etag: string): Answered => ({
  status: 304,
  headers: { ETag: quoteEtag(etag), 'Cache-Control': DATA_CACHE_CONTROL, Vary: 'Accept-Encoding' },
  body: null,
})

const respondText = (
  { context, status, isRead }: Reply,
  json: string,
  total?: number,
): Answered | Promise<Answered> => {
  const etag = isRead || status < 300 ? computeEtag(json) : undefined
  if (isRead && etag !== undefined && isCurrent(context, etag)) return createNotModified(etag)
  const coding = json.length > SMALL_BYTES ? selectCoding(context.raw.headers.get('accept-encoding')) : undefined
  const headers = buildHeaders(etag, coding)
  if (total !== undefined) headers['X-Total-Count'] = String(total)
  if (coding === undefined) return { status, headers, body: json }
  return compress(coding, json).then((body) => ({ status, headers, body }))
}

async function* streamJsonArray(rows: AsyncIterable<readonly string[]>): AsyncGenerator<Uint8Array> {
  let opening = '['
  for await (const chunk of rows) {
    if (chunk.length === 0) continue
    yield encoder.encode(opening + chunk.join(','))
    opening = ','
  }
  yield encoder.encode(opening === '[' ? '[]' : ']')
}

type Beginning = { readonly chunks: readonly Uint8Array[]; readonly size: number; readonly isWhole: boolean }

/** Reads until the list exceeds a short answer, which needs no stream. A query that fails until then is still a 500. */
export const readBeginning = async (bytes: AsyncGenerator<Uint8Array>): Promise<Beginning> => {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= WHOLE_BYTES) {
    const { done, value } = await bytes.next()
    if (done) return { chunks, size, isWhole: true }
    chunks.push(value)
    size += value.length
  }
  return { chunks, size, isWhole: false }
}

/** Returns all chunks from the beginning. Not a generator: closing an unstarted one would not close `rest`. */
export const joinChunks = (
  beginning: Beginning,
  rest: AsyncGenerator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> => {
  const waiting = [...beginning.chunks]
  return {
    next: async () => {
      const value = waiting.shift()
      return value ? { done: false, value } : rest.next()
    },
    return: () => rest.return(undefined),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const respondList = async ({ context, status }: Reply, list: JsonList<unknown>): Promise<Answered> => {
  const { raw, path, search } = context
  const { revision } = list.parts
  const etag = revision === undefined ? undefined : computeEtag(`${revision} ${path}${search}`)
  if (etag !== undefined && isCurrent(context, etag)) return createNotModified(etag)
  const counted = list.parts.total()
  const countHeader = async () => ({ 'X-Total-Count': String(await counted) })
  if (raw.method === 'HEAD') return { status, headers: { ...buildHeaders(etag), ...(await countHeader()) }, body: null }
  const rest = streamJsonArray(list.parts.rows())
  // Runs concurrently with the counting.
  const begun = readBeginning(rest)
  begun.catch(() => {})
  const total = await countHeader().catch(async (error: unknown) => {
    await rest.return(undefined)
    throw error
  })
  const beginning = await begun
  const isSmall = beginning.isWhole && beginning.size <= SMALL_BYTES
  const coding = isSmall ? undefined : selectCoding(raw.headers.get('accept-encoding'))
  if (beginning.isWhole) {
    const whole = Buffer.concat(beginning.chunks)
    const body = coding ? await compress(coding, whole) : whole
    return { status, headers: { ...buildHeaders(etag, coding), ...total }, body }
  }
  const bytes = joinChunks(beginning, rest)
  const body = coding ? compressSource(coding, bytes) : bytes
  return { status, headers: { ...buildHeaders(etag, coding), ...total }, body }
}

const isSource = (body: Answered['body']): body is Source =>
  body !== null && typeof body === 'object' && !(body instanceof Uint8Array)

/** Returns a source of the bytes of a complete body. */
const createWholeSource = (body: Uint8Array): Source => {
  let whole: Uint8Array | undefined = body
  return {
    next: async () => {
      const value = whole
      whole = undefined
      return value ? { done: false, value } : { done: true, value }
    },
  }
}

export type LongBody = { readonly source: Source; readonly length?: number }

/** Returns the source of a body that is sent piece by piece; undefined for a short one. */
export const toLongBody = (body: Answered['body']): LongBody | undefined => {
  if (body === null) return undefined
  if (isSource(body)) return { source: body }
  if (body.length <= WHOLE_BYTES) return undefined
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  return { source: createWholeSource(bytes), length: bytes.length }
}

const bodies = new WeakMap<Response, LongBody>()

/** Creates a response of a raw route with a body that is sent like long answers. */
export const createLongResponse = (body: LongBody, init: ResponseInit): Response => {
  const response = new Response(null, init)
  bodies.set(response, body)
  return response
}

/** Returns the body of a response that `createLongResponse` created. */
export const getLongBody = (response: Response): LongBody | undefined => bodies.get(response)

/** Creates a response with a complete body. A long body is sent like long answers. */
export const createWholeResponse = async (response: Response): Promise<Response> => {
  const body = await response.text()
  const long = toLongBody(body)
  const { status, headers } = response
  return long ? createLongResponse(long, { status, headers }) : new Response(body, { status, headers })
}

/** Builds the HTTP answer for a result of `kernel.run`. */
export const respond = (reply: Reply, answer: unknown): Answered | Promise<Answered> => {
  if (answer instanceof WithStatus) return respond({ ...reply, status: answer.status }, answer.value)
  const { status } = reply
  if (answer === undefined) return { status: status === 200 ? 204 : status, headers: {}, body: null }
  if (answer instanceof JsonText) return respondText(reply, answer.json)
  if (answer instanceof JsonList) return respondList(reply, answer)
  return respondText(reply, JSON.stringify(answer), Array.isArray(answer) ? answer.length : undefined)
}
