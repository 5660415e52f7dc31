/** Revocation (RFC 7009): a client ends a grant by any of its tokens. */

import { hashSecret } from '../../base/security/secret-token.ts'
import type { Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { formatClient, type RawAudit } from '../../kernel/changes/audit.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { findAccount } from '../users/account.ts'
import { authenticate } from './clients/clients.ts'
import { OauthProtocolError, respondEmpty } from './oauth-error.ts'
import { readForm } from './parameters.ts'
import * as store from './store.ts'

const findGrant = async (scope: DbScope, shown: string) => {
  const hash = hashSecret(shown)
  return (await store.findAccessToken(scope, hash)) ?? (await store.findRefreshToken(scope, hash))
}

export const revoke = async (ctx: Ctx, request: Request, audit: RawAudit<Tx<Tables>>): Promise<Response> => {
  const parameters = await readForm(request)
  audit.note({ changes: { client_id: parameters.client_id } })
  // Comes first, even for an unknown token, so that only authenticated clients can test tokens.
  const client = await authenticate(ctx, request.headers, parameters)
  audit.note({ changes: { client_id: client.id, client_name: client.name }, oauthClient: formatClient(client) })
  if (parameters.token === undefined) throw new OauthProtocolError('invalid_request', 'token is missing')
  const grant = await findGrant(ctx, parameters.token)
  // RFC 7009 2.2: an unknown token counts as revoked. Another client's token is left alone.
  if (grant?.client_id !== client.id) return respondEmpty()
  const user = await findAccount(ctx, grant.user_id)
  audit.note({ resourceId: grant.grant_id, userId: grant.user_id, username: user?.username ?? '' })
  await ctx.write((tx) => store.removeGrant(tx, grant.grant_id), { audit })
  return respondEmpty()
}
