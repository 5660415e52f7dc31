/** The answers of the protocol endpoints: JSON that is not cached, and errors in the form of RFC 6749 5.2. */

import { AppError } from '../../contract/errors.ts'
import type { RawAudit } from '../../kernel/changes/audit.ts'

/** The codes of RFC 6749 4.1.2.1 and 5.2, RFC 7591 3.2.2 and RFC 8707 section 2 that this server uses. */
export type OauthCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

export type Problem = {
  readonly error: OauthCode
  /** Printable ASCII without `"` and `\` (RFC 6749 5.2), so it never contains client input. */
  readonly description: string
}

/** A refusal that is answered in the protocol's form and recorded in the audit trail like any other. */
export class OauthProtocolError extends AppError {
  readonly problem: Problem

  constructor(error: OauthCode, description: string) {
    const isClient = error === 'invalid_client'
    super(isClient ? 'UNAUTHORIZED' : 'INVALID_INPUT', description, isClient ? { challenge: 'Basic realm="plat"' } : {})
    this.problem = { error, description }
  }
}

/** RFC 6749 5.1: no cache may store a response that may contain a token. */
const NOT_KEPT = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const

export const respondJson = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json(body, { status, headers: { ...NOT_KEPT, ...headers } })

export const respondEmpty = (): Response => new Response(null, { status: 200, headers: NOT_KEPT })

/** The client's host, and for a signed-in user the address that reports the error to the client. */
type ClientPlace = { readonly host: string; readonly uri: string | undefined }

export const respondProblem = ({ error, description }: Problem, client?: ClientPlace): Response => {
  const place = client && { redirect_host: client.host, ...(client.uri !== undefined && { redirect_uri: client.uri }) }
  return respondJson({ error, error_description: description, ...place }, 400)
}

/** Runs the handler of an endpoint; records and answers its protocol errors. The kernel handles all other errors. */
export const runEndpoint = async (
  audit: Pick<RawAudit<never>, 'failed'>,
  work: () => Promise<Response>,
): Promise<Response> => {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof OauthProtocolError)) throw thrown
    await audit.failed(thrown)
    const { problem, status, challenge } = thrown
    const body = { error: problem.error, error_description: problem.description }
    return respondJson(body, status, challenge === undefined ? {} : { 'WWW-Authenticate': challenge })
  }
}
