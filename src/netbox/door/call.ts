/** A call of the NetBox API, and the binding of its handlers. */
import type { AppError } from '../../contract/errors.ts'
import type { Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { RawAudit } from '../../kernel/changes/audit.ts'
import type { BoundRaw } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { RawRoute } from '../../kernel/operation.ts'
import type { Identify } from '../../kernel/request.ts'
import { split } from '../../surfaces/http/request-context.ts'
import { type Body, readBody } from './body.ts'
import { refuseFields } from './errors.ts'
import { createLinks, type Links } from './links.ts'

export type NetboxCall = {
  readonly request: Request
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly links: Links
  /** Reads the objects of the body. @throws AppError */
  readonly readBody: () => Promise<Body>
  /**
   * Runs a transaction with the audit entry of the route.
   * @param note the caller's reason for the change
   * @param serializeBy calls of one text wait for each other and may share a transaction
   */
  readonly write: <T>(work: (tx: Ctx) => Promise<T>, note?: string, serializeBy?: string) => Promise<T>
  readonly audit: RawAudit<Tx<Tables>>
}

export type Handle = (ctx: Ctx, call: NetboxCall) => Promise<Response>

/** Parameters of Plat's own operations. An ignored one would write in earnest, or answer for the present. */
const ELSEWHERE = ['as_of', 'dry_run', 'proposal']

/** @returns the error that names each of them; undefined without any */
const findForeignParameters = (query: URLSearchParams): AppError | undefined => {
  const found = ELSEWHERE.filter((name) => query.has(name))
  if (found.length === 0) return undefined
  return refuseFields(Object.fromEntries(found.map((name) => [name, ['is not possible in the NetBox API']])))
}

export type CallOptions = {
  /** Identifies callers by their API keys. */
  readonly identify: Identify
  readonly publicUrl: string | undefined
}

export const bindRoute = (route: RawRoute, handle: Handle, { identify, publicUrl }: CallOptions): BoundRaw<Tables> => ({
  route,
  identify,
  handler: async (ctx, request, audit, target) => {
    const query = new URLSearchParams(split(request.url)[1])
    const refused = findForeignParameters(query)
    if (refused) throw refused
    return handle(ctx, {
      request,
      query,
      audit,
      params: target.params,
      links: createLinks(target, publicUrl),
      readBody: () => readBody(request),
      write: (work, note = '', serializeBy) =>
        ctx.write(work, { audit, note, ...(serializeBy !== undefined && { serializeBy }) }),
    })
  },
})
