/** Answers of the NetBox API: JSON, compressed and sent piece by piece like any long answer. They have no ETag. */
import { compress, compressSource, selectCoding } from '../../surfaces/http/answer/compression.ts'
import { createLongResponse, joinChunks, readBeginning, toLongBody } from '../../surfaces/http/answer/respond.ts'
import { DATA_CACHE_CONTROL } from '../../surfaces/http/headers.ts'

/** Bodies up to this size are not compressed. */
const SMALL_BYTES = 1024

type Asked = { readonly request: Request }
type Init = { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }

const buildInit = ({ status = 200, headers }: Init, coding: string | undefined): ResponseInit => ({
  status,
  headers: {
    'Content-Type': 'application/json',
    'Cache-Control': DATA_CACHE_CONTROL,
    Vary: 'Accept-Encoding',
    ...(coding !== undefined && { 'Content-Encoding': coding }),
    ...headers,
  },
})

/** @param json the text of the body */
export const respondJsonText = async (
  { request }: Asked,
  json: string | Buffer,
  init: Init = {},
): Promise<Response> => {
  const coding = json.length > SMALL_BYTES ? selectCoding(request.headers.get('accept-encoding')) : undefined
  const body = coding ? await compress(coding, json) : json
  const long = toLongBody(typeof body === 'string' ? body : new Uint8Array(body))
  const ready = buildInit(init, coding)
  return long ? createLongResponse(long, ready) : new Response(body, ready)
}

export const respondJson = (asked: Asked, value: unknown, init: Init = {}): Promise<Response> =>
  respondJsonText(asked, JSON.stringify(value), init)

export const respondNothing = (): Response => new Response(null, { status: 204 })

const encoder = new TextEncoder()

async function* encodePieces(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? encoder.encode(piece) : piece
}

/** Answers with the pieces of a text. A query that fails before the first 64 KiB is still a 500. */
export const respondStream = async (asked: Asked, pieces: AsyncIterable<string | Uint8Array>): Promise<Response> => {
  const rest = encodePieces(pieces)
  const beginning = await readBeginning(rest)
  if (beginning.isWhole) return respondJsonText(asked, Buffer.concat(beginning.chunks))
  const coding = selectCoding(asked.request.headers.get('accept-encoding'))
  const bytes = joinChunks(beginning, rest)
  const source = coding ? compressSource(coding, bytes) : bytes
  return createLongResponse({ source }, buildInit({}, coding))
}
