/** The typed client of the UI. It calls operations of the server with the session of the browser. */
import {
  type CallOptions,
  call as callWith,
  createClient,
  readJson,
  sendRequest,
  send as sendWith,
  type Transport,
} from '../../../src/platform/cli/client.ts'
import type { AnyOperation, InputOf, OutputOf } from '../../../src/platform/operation/operation.ts'
import { noteAnswer, noteFailure, noteRequest } from './connection.ts'
import { contracts } from './contracts.ts'

const transport: Transport = {
  fetch: async (url, init) => {
    noteRequest(init.method)
    let response: Response
    try {
      response = await fetch(url, init)
    } catch (error) {
      if (!init.signal?.aborted) noteFailure()
      throw error
    }
    noteAnswer(url, response)
    return response
  },
  // Without this header, the server refuses writes of a browser session (CSRF).
  headers: { 'X-Requested-With': 'XMLHttpRequest' },
}

export const api = createClient(transport, contracts)

/** Calls an operation that is known only as a value, such as one of a generic resource. */
export const call = <O extends AnyOperation>(op: O, input: InputOf<O>, options?: CallOptions): Promise<OutputOf<O>> =>
  callWith(transport, op, input, options)

/** Sends a call and returns the response, for callers that read its headers. */
export const send = <O extends AnyOperation>(op: O, input: InputOf<O>): Promise<Response> =>
  sendWith(transport, op, input as Readonly<Record<string, unknown>>)

export type Tagged<T> = { readonly value: T; readonly etag: string }

/** Returns the value with its ETag, for the If-Match header of a later change. */
export const tagged = async <O extends AnyOperation>(op: O, input: InputOf<O>): Promise<Tagged<OutputOf<O>>> => {
  const response = await send(op, input)
  // The server returns values of the contract's type.
  return { value: (await readJson(transport, response)) as OutputOf<O>, etag: response.headers.get('etag') ?? '' }
}

/** Sends a request to one of the few routes that are not operations. */
export const request = (path: string, init: RequestInit): Promise<Response> => sendRequest(transport, path, init)

export const postJson = (path: string, body: unknown): Promise<Response> =>
  request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
