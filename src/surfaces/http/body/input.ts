/** Assembles an operation's input from path, query, headers and body. */

import { decodeNote, NOTE_HEADER } from '../../../contract/change-note.ts'
import { buildCoercion, type Coercion, coerceQuery } from '../../../contract/coerce.ts'
import { invalidField } from '../../../contract/errors.ts'
import { toInputJsonSchema } from '../../../contract/validate.ts'
import { parseHttp, takesQuery } from '../../../kernel/http-route.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import { readPacedBody } from '../answer/paced-body.ts'
import { type KnownQuery, NOT_PROPOSABLE, refuseUnknownQuery } from '../query-names.ts'
import type { RequestContext } from '../request-context.ts'
import { DEFAULT_MAX_BODY_BYTES, parseJsonObject, readBytes, requireJsonType } from './body.ts'

const PROPOSAL = 'proposal'

/** The properties of an operation's input, computed once before the first request. */
export type InputPlan = {
  readonly op: AnyOperation
  readonly coercion: Coercion
  readonly headers: readonly (readonly [string, string])[]
  readonly isInQuery: boolean
  readonly isBodyOptional: boolean
  /** A slow body is broken off, because the call holds one of few turns. */
  readonly isPaced: boolean
  readonly query: KnownQuery
  /** The error of a body with this field, which would be ignored, and the write done in earnest; undefined for a field of the operation. */
  readonly proposalError: string | undefined
}

/** True for a query that names a proposal. */
export const asksForProposal = (search: string): boolean => search !== '' && new URLSearchParams(search).has(PROPOSAL)

export const buildInputPlan = (op: AnyOperation, { isPaced }: Pick<InputPlan, 'isPaced'>): InputPlan => {
  const { method, params } = parseHttp(op.http)
  // `required` is part of every JSON Schema of an object.
  const { required = [] } = toInputJsonSchema(op.input) as { required?: readonly string[] }
  const coercion = buildCoercion(op.input)
  const isInQuery = takesQuery(method)
  const names = isInQuery ? Object.keys(op.input.shape) : (op.inQuery ?? [])
  return {
    op,
    isPaced,
    coercion,
    headers: Object.entries(op.headers ?? {}),
    isInQuery,
    query: { names: new Set(names.filter((name) => !params.includes(name))), coercion },
    proposalError: op.inQuery?.includes(PROPOSAL)
      ? 'belongs into the query: ?proposal=open'
      : Object.hasOwn(op.input.shape, PROPOSAL)
        ? undefined
        : NOT_PROPOSABLE,
    isBodyOptional: method === 'POST' && required.every((field) => params.includes(field)),
  }
}

const readQueryInput = ({ coercion }: InputPlan, search: string): Record<string, unknown> =>
  search.startsWith('?') ? coerceQuery(coercion, new URLSearchParams(search)) : {}

/** @throws AppError as `readPacedBody` */
const readPaced = async (request: Request, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of readPacedBody(request, maxBytes)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const readBodyInput = async (
  { op, isBodyOptional, isPaced, proposalError }: InputPlan,
  request: Request,
): Promise<object> => {
  requireJsonType(request)
  const read = isPaced ? readPaced : readBytes
  const bytes = await read(request, op.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES)
  if (bytes.length === 0 && isBodyOptional) return {}
  const body = await parseJsonObject(bytes)
  if (proposalError !== undefined && Object.hasOwn(body, PROPOSAL)) throw invalidField(PROPOSAL, proposalError)
  return body
}

/** @throws AppError for an unknown query parameter, and for a body that is not a JSON object, has another type, or is too large. */
export const readInput = (plan: InputPlan, context: RequestContext): object | Promise<object> => {
  const { raw, search } = context
  refuseUnknownQuery(context, plan.query)
  if (plan.isInQuery) return completeInput(plan, context, readQueryInput(plan, search))
  // A proposed call has no deadline.
  const isPaced = plan.isPaced || (plan.op.inQuery?.includes(PROPOSAL) === true && asksForProposal(search))
  return readBodyInput({ ...plan, isPaced }, raw).then((body) => completeInput(plan, context, { ...body }))
}

const completeInput = (
  plan: InputPlan,
  { raw, params, search }: RequestContext,
  input: Record<string, unknown>,
): object => {
  const { headers, op } = plan
  if (op.inQuery && search !== '') {
    const queried = readQueryInput(plan, search)
    for (const field of op.inQuery) if (queried[field] !== undefined) input[field] = queried[field]
  }
  for (const [header, field] of headers) {
    const value = raw.headers.get(header)
    if (value !== null) input[field] = header === NOTE_HEADER ? decodeNote(value) : value
  }
  return Object.assign(input, params)
}
