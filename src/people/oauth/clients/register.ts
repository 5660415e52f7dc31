/** Dynamic client registration (RFC 7591). It needs no sign-in, so number and rate are limited. */

import { createSecret, hashSecret } from '../../../base/security/secret-token.ts'
import type { Tx } from '../../../database/database.ts'
import type { Tables } from '../../../database/tables.ts'
import { formatClient, type RawAudit } from '../../../kernel/changes/audit.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { OauthProtocolError, respondJson } from '../oauth-error.ts'
import { readJsonMembers } from '../parameters.ts'
import * as store from '../store.ts'
import { type Metadata, validateRegistration } from './registration.ts'

/** Beyond this number of clients without consent, the oldest are deleted. */
export const MAX_IDLE_CLIENTS = 1000
const SECRET_PREFIX = 'plat_cs_'

const insert = async (ctx: Ctx, id: string, metadata: Metadata, secret: string | undefined): Promise<void> => {
  await store.insertClient(ctx, {
    id,
    name: metadata.client_name,
    redirect_uris: JSON.stringify(metadata.redirect_uris),
    grant_types: JSON.stringify(metadata.grant_types),
    response_types: JSON.stringify(metadata.response_types),
    auth_method: metadata.token_endpoint_auth_method,
    secret_hash: secret === undefined ? null : hashSecret(secret),
    scope: metadata.scope,
    created_at: ctx.now,
    consented_at: null,
  })
  await store.removeIdleBeyond(ctx, MAX_IDLE_CLIENTS)
}

export const register = async (ctx: Ctx, request: Request, audit: RawAudit<Tx<Tables>>): Promise<Response> => {
  const body = await readJsonMembers(request, 'invalid_client_metadata')
  const registration = validateRegistration(body)
  if ('problem' in registration) {
    throw new OauthProtocolError(registration.problem.error, registration.problem.description)
  }
  const client_id = Bun.randomUUIDv7()
  const secret = registration.token_endpoint_auth_method === 'none' ? undefined : createSecret(SECRET_PREFIX)
  audit.note({ resourceId: client_id, oauthClient: formatClient({ name: registration.client_name, id: client_id }) })
  await ctx.write((tx) => insert(tx, client_id, registration, secret), { audit })
  return respondJson(
    {
      client_id,
      client_id_issued_at: Math.floor(Date.parse(ctx.now) / 1000),
      ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
      ...registration,
    },
    201,
  )
}
