/** Reads a JSON body within its bounds. Hostile bodies are rejected here with a 4xx. */

import { AppError } from '../../../contract/errors.ts'
import { refuseProto } from '../../../contract/own.ts'
import { decode, parseLargeObject, skipMark } from './json-body.ts'
import { invalidJson, JsonScanner } from './json-scanner.ts'

export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024

export const createTooLargeError = (maxBytes: number) =>
  new AppError('INVALID_INPUT', `The body is larger than ${maxBytes} bytes`, { status: 413 })

export const createBrokenOffError = (cause: unknown) =>
  new AppError('INVALID_INPUT', 'The body could not be read to its end', { cause })

const readChunks = async (body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw createTooLargeError(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws AppError INVALID_INPUT with 413 over `maxBytes`, with 400 (not logged) if the client breaks it off */
export const readBytes = async (request: Request, maxBytes: number): Promise<Uint8Array> => {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) throw createTooLargeError(maxBytes)
  try {
    if (declared === 0) return request.body ? await readChunks(request.body, maxBytes) : new Uint8Array()
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > maxBytes) throw createTooLargeError(maxBytes)
    return bytes
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw createBrokenOffError(cause)
  }
}

/** @throws AppError INVALID_JSON for anything but UTF-8 JSON within `MAX_DEPTH`; VALIDATION_ERROR for an object of too many fields */
export const parseJson = (bytes: Uint8Array): unknown => {
  const text = decode(bytes.subarray(skipMark(bytes)))
  new JsonScanner(bytes).scan(0, bytes.length)
  const value = parseText(text)
  refuseProto(value, text)
  return value
}

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (text.trim() === '') throw new AppError('INVALID_JSON', 'The body is empty', { cause })
    throw invalidJson(cause)
  }
}

/** Bodies up to this size are parsed at once, in some milliseconds. */
const MAX_BYTES_AT_ONCE = 256 * 1024

/** @throws AppError INVALID_JSON, VALIDATION_ERROR */
export const parseJsonObject = async (bytes: Uint8Array): Promise<object> => {
  if (bytes.length > MAX_BYTES_AT_ONCE) return parseLargeObject(bytes)
  const body = parseJson(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('INVALID_JSON', 'The body must be a JSON object')
  return body
}

/** @throws AppError INVALID_INPUT unless the Content-Type is JSON or missing. */
export const requireJsonType = (request: Request): void => {
  const type = request.headers.get('content-type')
  if (type === null || type === '' || /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) return
  throw new AppError('INVALID_INPUT', 'The Content-Type must be application/json')
}
