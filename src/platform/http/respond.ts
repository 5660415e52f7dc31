/** Turns what a handler answered into an answer of HTTP: ETag and 304, total count, compression, streaming in bounded memory. */
import { JsonList, JsonText, WithStatus } from '../answer.ts'
import { etagOf, matchesEtag, quoted } from '../etag.ts'
import { acceptedCoding, compressed, compressedStream } from './compression.ts'
import type { Answered, Exchange } from './exchange.ts'
import { DATA_CACHE_CONTROL } from './headers.ts'

/** Bodies up to this size are not worth compressing, nor streaming. */
const SMALL_BYTES = 1024

export type Reply = {
  readonly exchange: Exchange
  readonly status: number
  readonly isRead: boolean
  /** Told of an error that comes when the status has been sent; the connection is cut then. */
  readonly broken: (error: unknown) => void
}

const JSON_TYPE = 'application/json'
const encoder = new TextEncoder()

const headersFor = (etag: string | undefined, coding?: string): Record<string, string> => {
  const headers: Record<string, string> = {
    'Content-Type': JSON_TYPE,
    'Cache-Control': DATA_CACHE_CONTROL,
    Vary: 'Accept-Encoding',
  }
  if (etag !== undefined) headers.ETag = quoted(etag, coding)
  if (coding !== undefined) headers['Content-Encoding'] = coding
  return headers
}

const isCurrent = ({ raw }: Exchange, etag: string): boolean => {
  const header = raw.headers.get('if-none-match')
  return header !== null && matchesEtag(header, etag)
}

const notModified = (etag: string): Answered => ({
  status: 304,
  headers: { ETag: quoted(etag), 'Cache-Control': DATA_CACHE_CONTROL, Vary: 'Accept-Encoding' },
  body: null,
})

const respondText = (
  { exchange, status, isRead }: Reply,
  json: string,
  total?: number,
): Answered | Promise<Answered> => {
  const etag = isRead || status < 300 ? etagOf(json) : undefined
  if (isRead && etag !== undefined && isCurrent(exchange, etag)) return notModified(etag)
  const coding = json.length > SMALL_BYTES ? acceptedCoding(exchange.raw.headers.get('accept-encoding')) : undefined
  const headers = headersFor(etag, coding)
  if (total !== undefined) headers['X-Total-Count'] = String(total)
  if (coding === undefined) return { status, headers, body: json }
  return compressed(coding, json).then((body) => ({ status, headers, body }))
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

type Beginning = { readonly chunks: readonly Uint8Array[]; readonly isWhole: boolean }

/** Reads until there is more than a small body, so that a short list needs no stream and a query that fails is still a 500. */
const beginningOf = async (bytes: AsyncGenerator<Uint8Array>): Promise<Beginning> => {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= SMALL_BYTES) {
    const { done, value } = await bytes.next()
    if (done) return { chunks, isWhole: true }
    chunks.push(value)
    size += value.length
  }
  return { chunks, isWhole: false }
}

/** The whole from its beginning on. Not a generator: one that was never asked for anything would not end `rest`. */
const resumed = (
  beginning: Beginning,
  rest: AsyncGenerator<Uint8Array>,
  broken: Reply['broken'],
): AsyncIterableIterator<Uint8Array> => {
  const waiting = [...beginning.chunks]
  return {
    next: async () => {
      const value = waiting.shift()
      if (value) return { done: false, value }
      try {
        return await rest.next()
      } catch (error) {
        broken(error)
        throw error
      }
    },
    return: () => rest.return(undefined),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const respondList = async ({ exchange, status, broken }: Reply, list: JsonList<unknown>): Promise<Answered> => {
  const { raw, path, search } = exchange
  const etag = etagOf(`${list.parts.revision} ${path}${search}`)
  if (isCurrent(exchange, etag)) return notModified(etag)
  const counted = list.parts.total()
  const countHeader = async () => ({ 'X-Total-Count': String(await counted) })
  if (raw.method === 'HEAD') return { status, headers: { ...headersFor(etag), ...(await countHeader()) }, body: null }
  const rest = jsonArray(list.parts.rows())
  // Beside the counting.
  const begun = beginningOf(rest)
  begun.catch(() => {})
  const total = await countHeader().catch(async (error: unknown) => {
    await rest.return(undefined)
    throw error
  })
  const beginning = await begun
  if (beginning.isWhole)
    return { status, headers: { ...headersFor(etag), ...total }, body: Buffer.concat(beginning.chunks) }
  const coding = acceptedCoding(raw.headers.get('accept-encoding'))
  const bytes = resumed(beginning, rest, broken)
  const body = coding ? compressedStream(coding, bytes) : streamOf(bytes)
  return { status, headers: { ...headersFor(etag, coding), ...total }, body }
}

/** A pull stream: the next chunk is read when the client has taken the last one. */
export const streamOf = (bytes: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await bytes.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await bytes.return?.(undefined)
    },
  })

/** The answer of HTTP to an answer of `kernel.run`. */
export const respond = (reply: Reply, answer: unknown): Answered | Promise<Answered> => {
  if (answer instanceof WithStatus) return respond({ ...reply, status: answer.status }, answer.value)
  const { status } = reply
  if (answer === undefined) return { status: status === 200 ? 204 : status, headers: {}, body: null }
  if (answer instanceof JsonText) return respondText(reply, answer.json)
  if (answer instanceof JsonList) return respondList(reply, answer)
  return respondText(reply, JSON.stringify(answer), Array.isArray(answer) ? answer.length : undefined)
}
