/** Revocation (RFC 7009): a client ends a grant by any of its tokens. */

import type { Tx } from '../../platform/db/database.ts'
import { namedClient, type RawAudit } from '../../platform/operation/audit.ts'
import { secretHash } from '../../platform/security/secret-token.ts'
import type { Ctx, DbScope } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { accountOf } from '../users/account.ts'
import { authenticate } from './clients.ts'
import { empty, OauthProtocolError } from './oauth-error.ts'
import { formParameters } from './parameters.ts'
import * as store from './store.ts'

const findGrant = async (scope: DbScope, shown: string) => {
  const hash = secretHash(shown)
  return (await store.findAccessToken(scope, hash)) ?? (await store.findRefreshToken(scope, hash))
}

export const revoke = async (ctx: Ctx, request: Request, audit: RawAudit<Tx<Tables>>): Promise<Response> => {
  const parameters = await formParameters(request)
  audit.note({ changes: { client_id: parameters.client_id } })
  // Comes first, even for an unknown token, so that only authenticated clients can test tokens.
  const client = await authenticate(ctx, request.headers, parameters)
  audit.note({ changes: { client_id: client.id, client_name: client.name }, oauthClient: namedClient(client) })
  if (parameters.token === undefined) throw new OauthProtocolError('invalid_request', 'token is missing')
  const grant = await findGrant(ctx, parameters.token)
  // RFC 7009 2.2: an unknown token counts as revoked. Another client's token is left alone.
  if (grant?.client_id !== client.id) return empty()
  const user = await accountOf(ctx, grant.user_id)
  audit.note({ resourceId: grant.grant_id, userId: grant.user_id, username: user?.username ?? '' })
  await ctx.write((tx) => store.removeGrant(tx, grant.grant_id), { audit })
  return empty()
}
