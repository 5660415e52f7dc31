/** The typed client of the UI: the operations of the server, called with the session of the browser. */
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
  // What makes a change of a browser session one of ours.
  headers: { 'X-Requested-With': 'XMLHttpRequest' },
}

export const api = createClient(transport, contracts)

/** For operations that are not known by name, as those of any resource. */
export const call = <O extends AnyOperation>(op: O, input: InputOf<O>, options?: CallOptions): Promise<OutputOf<O>> =>
  callWith(transport, op, input, options)

/** The answer itself, for what is in its headers. */
export const send = <O extends AnyOperation>(op: O, input: InputOf<O>): Promise<Response> =>
  sendWith(transport, op, input as Readonly<Record<string, unknown>>)

export type Tagged<T> = { readonly value: T; readonly etag: string }

/** The answer with the tag that a later change of the same object names in If-Match. */
export const tagged = async <O extends AnyOperation>(op: O, input: InputOf<O>): Promise<Tagged<OutputOf<O>>> => {
  const response = await send(op, input)
  // The server's half of the contract.
  return { value: (await readJson(transport, response)) as OutputOf<O>, etag: response.headers.get('etag') ?? '' }
}

/** For the few routes that are no operations. */
export const request = (path: string, init: RequestInit): Promise<Response> => sendRequest(transport, path, init)

export const postJson = (path: string, body: unknown): Promise<Response> =>
  request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
