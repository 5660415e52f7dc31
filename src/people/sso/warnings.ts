/** Warns of providers, keys and sessions of earlier versions that the rules of today would refuse. It removes nothing. */
import { AppError } from '../../contract/errors.ts'
import type { Warning } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findAccount, findLacking } from '../users/account.ts'
import * as identities from './identity-store.ts'
import { findSignable } from './provider-rights.ts'
import * as providers from './provider-store.ts'
import type { SessionEnding } from './sessions.ts'

const MAX_OF_A_KIND = 100
/** The newest links. Their accounts are searched for sessions. */
const MAX_LINKS_SEARCHED = 500
const MAX_NAMED = 5

const NOBODY = { permissions: new Set<string>() }

const formatNames = (names: readonly string[]): string =>
  [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ['...'] : [])].join(', ')

/** Providers that link by address, and were made or last changed by a user who holds less than the users whom they could sign in. */
const findProviders = async (ctx: Ctx): Promise<Warning[]> => {
  const warnings: Warning[] = []
  for (const { provider, changedBy } of await providers.findLinking(ctx)) {
    if (changedBy === null) continue
    const maker = await findAccount(ctx, changedBy)
    const lacking = await findLacking(ctx, maker ?? NOBODY, await findSignable(ctx, provider))
    if (lacking.length === 0) continue
    const { id, name } = provider
    const who = maker ? `"${maker.username}"` : 'a user who is deleted'
    warnings.push({
      ...{ kind: 'provider_links_by_email', resource: 'sso-providers', id, name },
      message: `The identity provider "${name}" links users by their address. ${who} has made or last changed it, and lacks permissions of users whom it could sign in: ${formatNames(lacking)}. Check its issuer and client_id. The warning ends when an administrator changes a field of it`,
    })
    if (warnings.length === MAX_OF_A_KIND) break
  }
  return warnings
}

const describeAge = (provider: string): string =>
  `was made before the provider "${provider}" linked its user by the address, so it may be of another person`

/** Keys of accounts that were linked by address, made before the link. */
const findKeys = async (ctx: Ctx): Promise<Warning[]> =>
  // A user with two such identities gives two rows.
  [...new Map((await identities.findKeysBeforeLinks(ctx, MAX_OF_A_KIND)).map((key) => [key.id, key])).values()].map(
    ({ id, name, username, provider }) => ({
      ...{ kind: 'key_before_link', resource: 'apikeys', id, name },
      message: `The API key "${name}" of "${username}" ${describeAge(provider)}. Delete it, or have its owner rotate it`,
    }),
  )

/** Accounts that were linked by address, with an open session of before the link. */
const findSessions = async (ctx: Ctx, { sessions }: SessionEnding): Promise<Warning[]> => {
  const warnings: Warning[] = []
  for (const link of await identities.findLinksByAddress(ctx, MAX_LINKS_SEARCHED)) {
    const { user_id: id, username: name, generation, provider } = link
    const earlier = (await sessions.list(id)).filter(
      ({ createdAt, expiresAt, userGeneration }) =>
        userGeneration === generation && createdAt.toISOString() < link.created_at && expiresAt.toISOString() > ctx.now,
    )
    if (earlier.length === 0) continue
    warnings.push({
      ...{ kind: 'session_before_link', resource: 'users', id, name },
      message: `A session of "${name}" ${describeAge(provider)}. End it, or all credentials of the user by "plat user evict ${name}" on the host`,
    })
    if (warnings.length === MAX_OF_A_KIND) break
  }
  return warnings
}

export const findWarnings = async (ctx: Ctx, options: SessionEnding): Promise<Warning[]> => {
  const warnings = [...(await findProviders(ctx)), ...(await findKeys(ctx))]
  try {
    return [...warnings, ...(await findSessions(ctx, options))]
  } catch (error) {
    // Sessions are in another store, which is away. The others are told all the same.
    if (!(error instanceof AppError) || error.code !== 'UNAVAILABLE') throw error
    return warnings
  }
}
