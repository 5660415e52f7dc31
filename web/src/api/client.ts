/** The typed client of the UI. It calls operations of the server with the session of the browser. */

import type { AnyOperation, InputOf, OutputOf } from '../../../src/kernel/operation.ts'
import {
  type CallOptions,
  createClient,
  readJson,
  sendRequest,
  send as sendWith,
  type Transport,
} from '../../../src/surfaces/cli/connection/client.ts'
import { asOf } from './as-of.ts'
import { noteAnswer, noteFailure, noteRequest } from './connection.ts'
import { contracts } from './contracts.ts'
import { findTaker, type Written } from './proposing.ts'
import { createStore } from './store.ts'

/** The header of an answer with the number of the proposal that has taken the call. */
const PROPOSAL = 'x-proposal'

/** True for a write that can be proposed. */
export const canPropose = ({ inQuery = [] }: Pick<AnyOperation, 'inQuery'>): boolean => inQuery.includes('proposal')

/** Counts the calls that a proposal has taken. */
export const proposed = createStore(0)

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
    if (response.headers.has(PROPOSAL)) proposed.set(proposed.get() + 1)
    return response
  },
  // The server refuses writes of a browser session that lack this header (CSRF).
  headers: { 'X-Requested-With': 'XMLHttpRequest' },
  complete: (op, input) => {
    if (op.supportsAsOf) return { as_of: asOf.get(), ...input }
    return canPropose(op) ? { proposal: findTaker(op.access), ...input } : input
  },
}

export const api = createClient(transport, contracts)

/** Sends a call and returns the response, for callers that read its headers. */
export const send = <O extends AnyOperation>(op: O, input: InputOf<O>, options?: CallOptions): Promise<Response> =>
  sendWith(transport, op, input as Readonly<Record<string, unknown>>, options)

export type Tagged<T> = { readonly value: T; readonly etag: string }

/** The header of an answer with the id of the change that the call has made. */
const CHANGE_ID = 'x-change-id'

const readWritten = ({ headers }: Response): Written => {
  const proposal = headers.get(PROPOSAL)
  return { change: headers.get(CHANGE_ID) ?? undefined, proposal: proposal ? Number(proposal) : undefined }
}

/** The results of writes, by their answers. */
const results = new WeakMap<object, Written>()

/** @param answer of `call` or `callTagged` */
export const getWritten = (answer: object): Written => results.get(answer) ?? {}

/** Returns the value with its ETag, for the If-Match header of a later change. */
export const callTagged = async <O extends AnyOperation>(
  op: O,
  input: InputOf<O>,
  options?: CallOptions,
): Promise<Tagged<OutputOf<O>>> => {
  const response = await send(op, input, options)
  // The server returns values of the contract's type.
  const value = (await readJson(transport, response)) as OutputOf<O>
  if (typeof value === 'object' && value !== null) results.set(value, readWritten(response))
  return { value, etag: response.headers.get('etag') ?? '' }
}

/** Calls an operation that is known only as a value, such as one of a generic resource. */
export const call = async <O extends AnyOperation>(
  op: O,
  input: InputOf<O>,
  options?: CallOptions,
): Promise<OutputOf<O>> => (await callTagged(op, input, options)).value

/** Calls a write of which only the result is read. */
export const write = async (op: AnyOperation, input: Readonly<Record<string, unknown>>): Promise<Written> =>
  readWritten(await sendWith(transport, op, input))

/** Sends a request to one of the few routes that are not operations. */
export const request = (path: string, init: RequestInit): Promise<Response> => sendRequest(transport, path, init)

export const postJson = (path: string, body: unknown): Promise<Response> =>
  request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
