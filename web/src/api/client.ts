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
import { asOf, findEdited } from './as-of.ts'
import { noteAnswer, noteFailure, noteRequest } from './connection.ts'
import { contracts } from './contracts.ts'
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
    return canPropose(op) ? { proposal: findEdited(), ...input } : input
  },
}

export const api = createClient(transport, contracts)

/** Sends a call and returns the response, for callers that read its headers. */
export const send = <O extends AnyOperation>(op: O, input: InputOf<O>, options?: CallOptions): Promise<Response> =>
  sendWith(transport, op, input as Readonly<Record<string, unknown>>, options)

export type Tagged<T> = { readonly value: T; readonly etag: string }

/** The changes that calls have made, by their answers. */
const changes = new WeakMap<object, string>()

/** The numbers of the proposals that have taken calls, by their answers. */
const proposals = new WeakMap<object, number>()

/** Returns the number of the proposal that has taken a call. @param answer of `call` or `callTagged` */
export const getProposal = (answer: object): number | undefined => proposals.get(answer)

/** Returns the id of the change that a call has made. @param answer of `call` or `callTagged` */
export const getChangeId = (answer: object): string | undefined => changes.get(answer)

/** The header of an answer with the id of the change that the call has made. */
export const CHANGE_ID = 'x-change-id'

/** Returns the value with its ETag, for the If-Match header of a later change. */
export const callTagged = async <O extends AnyOperation>(
  op: O,
  input: InputOf<O>,
  options?: CallOptions,
): Promise<Tagged<OutputOf<O>>> => {
  const response = await send(op, input, options)
  // The server returns values of the contract's type.
  const value = (await readJson(transport, response)) as OutputOf<O>
  const change = response.headers.get(CHANGE_ID)
  const proposal = response.headers.get(PROPOSAL)
  // A change with an answer has an object as its answer.
  if (change) changes.set(value as object, change)
  if (proposal) proposals.set(value as object, Number(proposal))
  return { value, etag: response.headers.get('etag') ?? '' }
}

/** Calls an operation that is known only as a value, such as one of a generic resource. */
export const call = async <O extends AnyOperation>(
  op: O,
  input: InputOf<O>,
  options?: CallOptions,
): Promise<OutputOf<O>> => (await callTagged(op, input, options)).value

/** Proposes a write. @returns the number of the proposal */
export const propose = async (
  op: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  proposal = 'open',
): Promise<number> => Number((await sendWith(transport, op, { ...input, proposal })).headers.get(PROPOSAL))

/** Sends a request to one of the few routes that are not operations. */
export const request = (path: string, init: RequestInit): Promise<Response> => sendRequest(transport, path, init)

export const postJson = (path: string, body: unknown): Promise<Response> =>
  request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
