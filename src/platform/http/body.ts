/** Reads a JSON body within its bounds. Hostile bodies are rejected here with a 4xx. */

import { AppError } from '../contract/errors.ts'
import { refuseProto } from '../contract/own.ts'

export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024
/** Maximum nesting. No valid request is deeper, and recursion over deeper values exhausts the stack. */
export const MAX_DEPTH = 64

export const tooLarge = (maxBytes: number) =>
  new AppError('INVALID_INPUT', `The body is larger than ${maxBytes} bytes`, { status: 413 })

export const brokenOff = (cause: unknown) =>
  new AppError('INVALID_INPUT', 'The body could not be read to its end', { cause })

const readChunks = async (body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws AppError INVALID_INPUT with 413 over `maxBytes`, with 400 (not logged) if the client breaks it off */
export const readBytes = async (request: Request, maxBytes: number): Promise<Uint8Array> => {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) throw tooLarge(maxBytes)
  try {
    if (declared === 0) return request.body ? await readChunks(request.body, maxBytes) : new Uint8Array()
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > maxBytes) throw tooLarge(maxBytes)
    return bytes
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw brokenOff(cause)
  }
}

const isTooDeep = (json: string): boolean => {
  let depth = 0
  let isInString = false
  for (let i = 0; i < json.length; i++) {
    const c = json.charCodeAt(i)
    if (isInString) {
      if (c === 0x5c) i++
      else if (c === 0x22) isInString = false
    } else if (c === 0x22) isInString = true
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > MAX_DEPTH) return true
    } else if (c === 0x7d || c === 0x5d) depth--
  }
  return false
}

/** @throws AppError INVALID_JSON for anything but UTF-8 JSON within `MAX_DEPTH`. */
export const parseJson = (bytes: Uint8Array): unknown => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('INVALID_JSON', 'The body is not UTF-8', { cause })
  }
  if (isTooDeep(text)) throw new AppError('INVALID_JSON', `The body is nested deeper than ${MAX_DEPTH} levels`)
  const value = parseText(text)
  refuseProto(value, text)
  return value
}

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('INVALID_JSON', text.trim() === '' ? 'The body is empty' : 'The body is not valid JSON', {
      cause,
    })
  }
}

/** @throws AppError INVALID_INPUT unless the Content-Type is JSON or missing. */
export const requireJsonType = (request: Request): void => {
  const type = request.headers.get('content-type')
  if (type === null || type === '' || /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) return
  throw new AppError('INVALID_INPUT', 'The Content-Type must be application/json')
}
