/** Authenticates requests to /mcp: by access tokens, valid only there, or as elsewhere (RFC 9728 5.1). */

import { hashSecret, isSameHash } from '../../base/security/secret-token.ts'
import { AppError } from '../../contract/errors.ts'
import { memoized } from '../../database/cache/revision-cache.ts'
import type { Db, ReadPoint } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import type { LastUsed } from '../../kernel/jobs/usage-tracker.ts'
import type { Permission } from '../../kernel/operation.ts'
import type { Identify, Identity } from '../../kernel/request.ts'
import { createRights } from '../../kernel/rights/read-rights.ts'
import type { Rights } from '../../kernel/rights/rights.ts'
import { readCredentials } from '../../surfaces/http/credentials.ts'
import { type Account, ASLEEP, findAccount } from '../users/account.ts'
import { ALL_SCOPES, EVERYDAY, formatScopes, listHeldAnywhere, parseScopes } from './scopes.ts'
import type { Settings } from './settings.ts'
import * as store from './store.ts'
import { ACCESS_PREFIX } from './token.ts'

export type McpAuthenticator = {
  readonly identify: Identify
  /** Returns the 403 that names the missing scopes, for a client that could be granted them (RFC 6750 3.1). */
  readonly insufficientScope: (caller: Caller, permissions: readonly Permission[]) => AppError
}

type McpAuthenticatorOptions = {
  readonly settings: Settings
  readonly db: Db<Tables>
  readonly now: () => Date
  /** Identifies callers on all other routes. */
  readonly identify: Identify
  readonly uses: LastUsed
}

/** A change to one of these tables may change the rights of a token. Times of last use are in other tables. */
const TABLES = [
  ...(['users', 'roles', 'role_permissions', 'grants', 'group_members', 'area_scopes'] as const),
  ...(['oauth_clients', 'oauth_grants', 'oauth_access_tokens', 'identities', 'sso_providers'] as const),
] as const
const COMMON = ['roles', 'role_permissions', 'grants', 'group_members', 'area_scopes'] as const

type Holder = {
  readonly rights: Rights
  readonly grantId: string
  readonly expiresAt: string
  /** When it is refused until the next sign-in of its user. */
  readonly sleepsAt: string
}

/** Sorts after every time. */
const NEVER = '~'

/** Looks up the holder of a token. */
type Source = { readonly holder: (hash: string) => Promise<Holder | undefined> }

type Token = NonNullable<Awaited<ReturnType<typeof store.findAccessToken>>>

const buildCaller = (token: Token, account: Account): Caller => {
  const carried = new Set(parseScopes(token.scope))
  const { permissions } = account
  const scopedPermissions = new Map([...(account.scopedPermissions ?? [])].filter(([name]) => carried.has(name)))
  return {
    userId: account.id,
    username: account.username,
    via: 'oauth',
    credentialId: token.grant_id,
    permissions: carried.intersection(permissions),
    ...(scopedPermissions.size > 0 && { scopedPermissions }),
    client: { id: token.client_id, name: token.client_name, withheld: listHeldAnywhere(account).difference(carried) },
  }
}

/** Formats challenge parameters as quoted strings; no value contains a quote. */
const formatBearer = (parameters: Readonly<Record<string, string>>): string =>
  `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`

export const createMcpAuthenticator = (options: McpAuthenticatorOptions): McpAuthenticator => {
  const { settings, db, now, identify, uses } = options
  const realm = { realm: 'mcp', resource_metadata: settings.resourceMetadata }
  const come = formatBearer({ ...realm, scope: formatScopes(EVERYDAY) })
  const comeAgain = formatBearer({ ...realm, scope: formatScopes(EVERYDAY), error: 'invalid_token' })
  const buildRefusal = (message: string) => new AppError('UNAUTHORIZED', message, { challenge: comeAgain })

  const createCommittedSource = (revision: string, readPoint: ReadPoint): Source => {
    const holders = memoized<Holder | undefined>(db.cache.at('token holders', revision))
    // A write may call this while it holds a connection, so it must not wait for another one.
    return { holder: (hash) => holders(hash, () => findHolder({ db: db.quick }, hash, readPoint)) }
  }

  const { sourceAt, rightsOf } = createRights<Tables, Source>({
    db,
    tables: TABLES,
    common: COMMON,
    now,
    committed: createCommittedSource,
    within: (tx) => ({ holder: (hash) => findHolder(tx, hash, undefined) }),
  })

  const isOver = (expiresAt: string): boolean => expiresAt <= now().toISOString()

  const findHolder = async (
    scope: DbScope,
    hash: string,
    readPoint: ReadPoint | undefined,
  ): Promise<Holder | undefined> => {
    const token = await store.findAccessToken(scope, hash)
    if (!token || !isSameHash(token.token_hash, hash)) return undefined
    const account = await findAccount(scope, token.user_id)
    if (!account?.isActive || account.generation !== token.user_generation) return undefined
    const { sleepsMs } = account
    const sleepsAt = sleepsMs === Infinity ? NEVER : new Date(sleepsMs).toISOString()
    const rights = rightsOf({
      caller: buildCaller(token, account),
      readPoint,
      rows: [
        { table: 'users', where: { id: account.id, is_active: 1, generation: account.generation } },
        { table: 'oauth_access_tokens', where: { token_hash: hash } },
      ],
      isOver: () => isOver(token.expires_at) || isOver(sleepsAt),
      again: async (source) => (await getHolderOrThrow(hash, source)).rights,
    })
    return { rights, grantId: token.grant_id, expiresAt: token.expires_at, sleepsAt }
  }

  const getHolderOrThrow = async (hash: string, source: Source): Promise<Holder> => {
    const holder = await source.holder(hash)
    if (!holder || isOver(holder.expiresAt)) throw buildRefusal('The access token is not valid')
    if (isOver(holder.sleepsAt)) throw buildRefusal(ASLEEP)
    return holder
  }

  const identifyByToken = async (token: string): Promise<Identity> => {
    const readPoint = await db.readPoint()
    const { rights, grantId } = await getHolderOrThrow(hashSecret(token), sourceAt(readPoint))
    const { caller } = rights
    uses.note(`${caller.client?.id} ${grantId}`, now())
    const identity = { caller, isAmbient: false, rights }
    return db.sql.isInProcess ? identity : { ...identity, readPoint }
  }

  /** Adds the challenge to a 401 of another credential. */
  const addChallenge = (thrown: unknown): unknown => {
    if (!(thrown instanceof AppError) || thrown.status !== 401) return thrown
    return new AppError(thrown.code, thrown.message, { cause: thrown, challenge: comeAgain })
  }

  return {
    identify: async (headers, origin) => {
      if (!headers.has('authorization'))
        throw new AppError('UNAUTHORIZED', 'Sign in by OAuth, or send an API key as a Bearer token', {
          challenge: come,
        })
      try {
        // Only the Authorization header is read if there is no cookie name; it takes precedence over a cookie.
        const shown = readCredentials(headers, '')
        if (shown?.token.startsWith(ACCESS_PREFIX)) return await identifyByToken(shown.token)
        return await identify(headers, origin)
      } catch (thrown) {
        throw addChallenge(thrown)
      }
    },
    insufficientScope: (caller, wanted) => {
      // Names all scopes that the client needs, not only the missing ones, because it requests exactly these.
      const needed = new Set<string>([...listHeldAnywhere(caller), ...wanted])
      const scopes = ALL_SCOPES.filter((one) => needed.has(one))
      const challenge = formatBearer({ ...realm, scope: formatScopes(scopes), error: 'insufficient_scope' })
      return new AppError('FORBIDDEN', `The token does not carry ${wanted.join(' or ')}`, { challenge })
    },
  }
}
