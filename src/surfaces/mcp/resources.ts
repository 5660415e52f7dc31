/** Objects that a client can attach by URI, `plat://device/{id}`, read through the kernel. */

import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { toErrorBody } from '../../contract/errors.ts'
import type { Bound } from '../../kernel/context.ts'
import { type CallContext, type Runner, reportFailure } from './call.ts'
import { shape } from './shape.ts'

/** One kind of object; `{id}` in its URI is the id. */
export type ResourceKind = {
  readonly name: string
  readonly description: string
  /** `plat://device/` and the id. */
  readonly prefix: string
  /** The operation that shows one. */
  readonly operation: string
}

const JSON_TYPE = 'application/json'

export const toTemplates = (kinds: readonly ResourceKind[]) =>
  kinds.map(({ name, description, prefix }) => ({
    uriTemplate: `${prefix}{id}`,
    name,
    description,
    mimeType: JSON_TYPE,
  }))

/** RFC 6570 2.3 and 3.2.2: returns the percent-decoded value of `{id}`; undefined for a URI of another form. */
const parseId = (uri: string, prefix: string): string | undefined => {
  const encoded = uri.slice(prefix.length)
  if (!uri.startsWith(prefix) || !/^[^/?#]+$/.test(encoded)) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    // Invalid percent-encoding.
    return undefined
  }
}

export type ReadResource = (
  uri: string,
  context: CallContext,
) => Promise<{ contents: { uri: string; mimeType: string; text: string }[] }>

export const createReadResource =
  <Tables>(
    kinds: readonly ResourceKind[],
    operations: readonly Bound<Tables>[],
    { run }: Runner<Tables>,
  ): ReadResource =>
  async (uri, context) => {
    for (const { prefix, operation } of kinds) {
      const id = parseId(uri, prefix)
      const bound = operations.find(({ op }) => op.name === operation)
      if (id === undefined || !bound) continue
      const { caller, requestId, client, signal } = context
      try {
        const answer = await run(bound, { caller, requestId, client, signal, input: { id } })
        const value = await shape(answer, { fields: undefined, mostRows: Number.POSITIVE_INFINITY, offset: 0 })
        return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }] }
      } catch (thrown) {
        const error = reportFailure(thrown, context, uri)
        if (error.code === 'NOT_FOUND') break
        const code = error.code === 'INTERNAL_ERROR' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
        throw new ProtocolError(code, error.message, toErrorBody(error))
      }
    }
    throw new ResourceNotFoundError(uri)
  }
