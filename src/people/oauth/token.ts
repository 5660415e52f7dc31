/** The token endpoint (RFC 6749 4.1.3, 6): one transaction decides and writes, and commits before the answer. */

import { createSecret, hashSecret } from '../../base/security/secret-token.ts'
import type { Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { type AuditNote, formatClient, type RawAudit } from '../../kernel/changes/audit.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findAccount } from '../users/account.ts'
import type { Parameters } from './authorization.ts'
import { authenticate, parseGrantTypes } from './clients/clients.ts'
import { decideCode, decideRefresh, NOT_VALID } from './grant.ts'
import { OauthProtocolError, type Problem, respondJson } from './oauth-error.ts'
import { readForm } from './parameters.ts'
import type { Settings } from './settings.ts'
import * as store from './store.ts'
import type { OauthClientRow } from './table.ts'

export const ACCESS_PREFIX = 'plat_at_'
const REFRESH_PREFIX = 'plat_rt_'

type Tokens = { readonly access: string; readonly refresh?: string; readonly scope: string }

/** The result of a transaction. A refusal is returned, because a throw would roll back revocations. */
type Outcome = { readonly about: AuditNote } & ({ readonly tokens: Tokens } | { readonly problem: Problem })

type Asking = { readonly settings: Settings; readonly client: OauthClientRow; readonly parameters: Parameters }

/** @param shown the code or token of the request */
type Settle = (ctx: Ctx, asking: Asking, shown: string) => Promise<Outcome>

const buildRequest = ({ now }: Ctx, { settings, client, parameters }: Asking) => ({
  client: { id: client.id, scope: client.scope, mayRefresh: parseGrantTypes(client).includes('refresh_token') },
  server: settings,
  now,
  resource: parameters.resource,
})

const addMs = (now: string, ms: number): string => new Date(Date.parse(now) + ms).toISOString()

type Issue = { readonly grantId: string; readonly scope: string; readonly withRefreshToken: boolean }

const issue = async (ctx: Ctx, { settings }: Asking, { grantId, scope, withRefreshToken }: Issue): Promise<Tokens> => {
  const access = createSecret(ACCESS_PREFIX)
  const accessEnd = addMs(ctx.now, settings.accessTokenTtlMs)
  const hashed = { token_hash: hashSecret(access), grant_id: grantId }
  await store.insertAccessToken(ctx, { ...hashed, scope, expires_at: accessEnd })
  await store.extendGrant(ctx, grantId, accessEnd)
  if (!withRefreshToken) return { access, scope }
  const refresh = createSecret(REFRESH_PREFIX)
  const refreshEnd = addMs(ctx.now, settings.refreshTokenTtlMs)
  const kept = { token_hash: hashSecret(refresh), grant_id: grantId }
  await store.insertRefreshToken(ctx, { ...kept, expires_at: refreshEnd, used_at: null })
  await store.extendGrant(ctx, grantId, refreshEnd)
  return { access, refresh, scope }
}

/** The client and user of a consent. */
type Belonging = { readonly client_id: string; readonly user_id: string }

/** An unauthenticated request leaves no trace of the owner of a code or token. */
const buildAuditNote = async (
  ctx: Ctx,
  { client }: Asking,
  { client_id, user_id, grantId }: Belonging & { grantId: string | null },
): Promise<AuditNote> => {
  const user = client_id === client.id ? await findAccount(ctx, user_id) : undefined
  return user ? { resourceId: grantId ?? '', userId: user.id, username: user.username } : {}
}

const settleCode: Settle = async (ctx, asking, shown) => {
  const { parameters } = asking
  const hash = hashSecret(shown)
  const row = await store.lockCode(ctx, hash)
  if (!row) return { problem: NOT_VALID, about: {} }
  const decision = decideCode(
    {
      clientId: row.client_id,
      scope: row.scope,
      userGeneration: row.user_generation,
      user: await findAccount(ctx, row.user_id),
      redirectUri: row.redirect_uri,
      codeChallenge: row.code_challenge,
      expiresAt: row.expires_at,
      usedAt: row.used_at,
      grantId: row.grant_id,
    },
    { ...buildRequest(ctx, asking), redirectUri: parameters.redirect_uri ?? '', verifier: parameters.code_verifier },
  )
  const about = (grantId: string | null) => buildAuditNote(ctx, asking, { ...row, grantId })
  switch (decision.kind) {
    case 'refuse':
      return { problem: decision.problem, about: await about(null) }
    case 'revoke':
      await store.removeGrant(ctx, decision.grantId)
      return { problem: decision.problem, about: await about(decision.grantId) }
    case 'burn':
      await store.markCodeUsed(ctx, hash, { now: ctx.now, grantId: null })
      return { problem: decision.problem, about: await about(null) }
    case 'issue': {
      const grantId = Bun.randomUUIDv7()
      await store.markCodeUsed(ctx, hash, { now: ctx.now, grantId })
      const { client_id, user_id, user_generation, scope } = row
      const times = { created_at: ctx.now, expires_at: ctx.now }
      await store.insertGrant(ctx, { id: grantId, client_id, user_id, user_generation, scope, ...times })
      return { tokens: await issue(ctx, asking, { grantId, ...decision }), about: await about(grantId) }
    }
  }
}

const settleRefresh: Settle = async (ctx, asking, shown) => {
  const hash = hashSecret(shown)
  const row = await store.lockRefreshToken(ctx, hash)
  if (!row) return { problem: NOT_VALID, about: {} }
  const grantId = row.grant_id
  const decision = decideRefresh(
    {
      clientId: row.client_id,
      scope: row.scope,
      userGeneration: row.user_generation,
      user: await findAccount(ctx, row.user_id),
      grantId,
      expiresAt: row.expires_at,
      usedAt: row.used_at,
    },
    { ...buildRequest(ctx, asking), scope: asking.parameters.scope, graceMs: asking.settings.graceMs },
  )
  const about = await buildAuditNote(ctx, asking, { ...row, grantId })
  switch (decision.kind) {
    case 'refuse':
      return { problem: decision.problem, about }
    case 'revoke':
      await store.removeGrant(ctx, decision.grantId)
      return { problem: decision.problem, about }
    case 'rotate':
      await store.markRefreshTokenUsed(ctx, hash, ctx.now)
      return { tokens: await issue(ctx, asking, { grantId, scope: decision.scope, withRefreshToken: true }), about }
    case 'lend':
      return { tokens: await issue(ctx, asking, { grantId, scope: decision.scope, withRefreshToken: false }), about }
  }
}

/** Returns the function for the grant type and the secret of the request. @throws OauthProtocolError */
const readGrant = ({ grant_type, code, refresh_token, redirect_uri }: Parameters): [Settle, string] => {
  const missing = (name: string) => new OauthProtocolError('invalid_request', `${name} is missing`)
  switch (grant_type) {
    case undefined:
      throw missing('grant_type')
    case 'authorization_code':
      if (code === undefined) throw missing('code')
      if (redirect_uri === undefined) throw missing('redirect_uri')
      return [settleCode, code]
    case 'refresh_token':
      if (refresh_token === undefined) throw missing('refresh_token')
      return [settleRefresh, refresh_token]
    default:
      throw new OauthProtocolError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
  }
}

export const handleToken = async (
  ctx: Ctx,
  request: Request,
  { settings, audit }: { readonly settings: Settings; readonly audit: RawAudit<Tx<Tables>> },
): Promise<Response> => {
  const parameters = await readForm(request)
  audit.note({ changes: { grant_type: parameters.grant_type, client_id: parameters.client_id } })
  const client = await authenticate(ctx, request.headers, parameters)
  const changes = { grant_type: parameters.grant_type, client_id: client.id, client_name: client.name }
  audit.note({ changes, oauthClient: formatClient(client) })
  const [settle, shown] = readGrant(parameters)
  const asking = { settings, client, parameters }
  let isRefused = false
  const outcome = await ctx.write(
    async (tx) => {
      const made = await settle(tx, asking, shown)
      audit.note({ ...made.about, changes: 'tokens' in made ? { ...changes, scope: made.tokens.scope } : changes })
      isRefused = 'problem' in made
      return made
    },
    { audit: { ...audit, succeeded: async (tx) => (isRefused ? undefined : audit.succeeded(tx)) } },
  )
  // Thrown after the commit, so that revocations persist.
  if ('problem' in outcome) throw new OauthProtocolError(outcome.problem.error, outcome.problem.description)
  const { access, refresh, scope } = outcome.tokens
  return respondJson({
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.floor(settings.accessTokenTtlMs / 1000),
    ...(refresh !== undefined && { refresh_token: refresh }),
    scope,
  })
}
