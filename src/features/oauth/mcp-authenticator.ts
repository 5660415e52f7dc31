/**
 * Who is let in at /mcp: holders of access tokens, which open nothing else, and of whatever opens the rest of Plat. Whoever
 * is turned away is told where to get a token (RFC 6750 section 3, RFC 9728 5.1).
 */

import { AppError } from '../../platform/contract/errors.ts'
import { createMemo, createRevisionCache } from '../../platform/db/cache/revision-cache.ts'
import type { Db, ReadPoint } from '../../platform/db/database.ts'
import { credentialsOf } from '../../platform/http/credentials.ts'
import type { Caller } from '../../platform/operation/caller.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import { createRights } from '../../platform/operation/read-rights.ts'
import type { Identify, Identity } from '../../platform/operation/request.ts'
import type { Rights } from '../../platform/operation/rights.ts'
import type { LastUsed } from '../../platform/runtime/last-used.ts'
import { isSameHash, secretHash } from '../../platform/security/secret-token.ts'
import type { DbScope } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { type Account, accountOf } from '../users/account.ts'
import { ALL_SCOPES, EVERYDAY, scopesOf, scopeText } from './scopes.ts'
import type { Settings } from './settings.ts'
import * as store from './store.ts'
import { ACCESS_PREFIX } from './token.ts'

export type Entrance = {
  readonly identify: Identify
  /** The 403 of a client that could be allowed what it lacks (RFC 6750 3.1). */
  readonly insufficientScope: (caller: Caller, permissions: readonly Permission[]) => AppError
}

type EntranceOptions = {
  readonly settings: Settings
  readonly db: Db<Tables>
  readonly now: () => Date
  /** Tells who calls everywhere else. */
  readonly identify: Identify
  readonly uses: LastUsed
}

/** A change to any of these may change what a token opens. Uses are kept elsewhere. */
const TABLES = [
  ...(['users', 'roles', 'role_permissions', 'user_roles'] as const),
  ...(['oauth_clients', 'oauth_grants', 'oauth_access_tokens'] as const),
] as const
const COMMON = ['roles', 'role_permissions', 'user_roles'] as const
const MAX_ENTRIES = 10_000

type Holder = { readonly rights: Rights; readonly grantId: string; readonly expiresAt: string }

/** Where tokens are looked up. */
type Source = { readonly holder: (hash: string) => Promise<Holder | undefined> }

type Token = NonNullable<Awaited<ReturnType<typeof store.findAccessToken>>>

const callerOf = (token: Token, account: Account): Caller => {
  const carried = new Set(scopesOf(token.scope))
  const { permissions } = account
  return {
    userId: account.id,
    username: account.username,
    via: 'oauth',
    credentialId: token.grant_id,
    permissions: carried.intersection(permissions),
    client: { id: token.client_id, name: token.client_name, withheld: new Set([...permissions]).difference(carried) },
  }
}

/** Parameters of a challenge, in quotes; none of them ever holds one. */
const bearer = (parameters: Readonly<Record<string, string>>): string =>
  `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`

export const createEntrance = ({ settings, db, now, identify, uses }: EntranceOptions): Entrance => {
  const realm = { realm: 'mcp', resource_metadata: settings.resourceMetadata }
  const come = bearer({ ...realm, scope: scopeText(EVERYDAY) })
  const comeAgain = bearer({ ...realm, scope: scopeText(EVERYDAY), error: 'invalid_token' })
  const refusal = (message: string) => new AppError('UNAUTHORIZED', message, { challenge: comeAgain })

  const remembering = (_: string, readPoint: ReadPoint): Source => {
    const holders = createMemo<Holder>(MAX_ENTRIES)
    // A write may ask while it holds a connection, so this must not wait for one of those.
    return { holder: (hash) => holders(hash, () => holderOf({ db: db.quick }, hash, readPoint)) }
  }
  const known = createRevisionCache({ tables: TABLES, now, empty: remembering })

  const rightsOf = createRights<Tables, Source>({
    db,
    tables: TABLES,
    common: COMMON,
    committed: () => {
      const readPoint = db.readPoint()
      return readPoint instanceof Promise ? readPoint.then(known) : known(readPoint)
    },
    within: (tx) => ({ holder: (hash) => holderOf(tx, hash, undefined) }),
  })

  const isOver = (expiresAt: string): boolean => expiresAt <= now().toISOString()

  const holderOf = async (
    scope: DbScope,
    hash: string,
    readPoint: ReadPoint | undefined,
  ): Promise<Holder | undefined> => {
    const token = await store.findAccessToken(scope, hash)
    if (!token || !isSameHash(token.token_hash, hash)) return undefined
    const account = await accountOf(scope, token.user_id)
    if (!account?.isActive || account.generation !== token.user_generation) return undefined
    const rights = rightsOf({
      caller: callerOf(token, account),
      readPoint,
      rows: [
        { table: 'users', where: { id: account.id, is_active: 1, generation: account.generation } },
        { table: 'oauth_access_tokens', where: { token_hash: hash } },
      ],
      isOver: () => isOver(token.expires_at),
      again: async (source) => (await liveHolder(hash, source)).rights,
    })
    return { rights, grantId: token.grant_id, expiresAt: token.expires_at }
  }

  const liveHolder = async (hash: string, source: Source): Promise<Holder> => {
    const holder = await source.holder(hash)
    if (!holder || isOver(holder.expiresAt)) throw refusal('The access token is not valid')
    return holder
  }

  const byToken = async (token: string): Promise<Identity> => {
    const { rights, grantId } = await liveHolder(secretHash(token), known(await db.readPoint()))
    const { caller } = rights
    uses.note(`${caller.client?.id} ${grantId}`, now())
    return { caller, isAmbient: false, rights }
  }

  /** The same refusal, with where to get a token. */
  const challenged = (thrown: unknown): unknown => {
    if (!(thrown instanceof AppError) || thrown.status !== 401) return thrown
    return new AppError(thrown.code, thrown.message, { cause: thrown, challenge: comeAgain })
  }

  return {
    identify: async (headers) => {
      if (!headers.has('authorization'))
        throw new AppError('UNAUTHORIZED', 'Sign in by OAuth, or send an API key as a Bearer token', {
          challenge: come,
        })
      try {
        // An Authorization header wins over a cookie, whatever it is called.
        const shown = credentialsOf(headers, '')
        if (shown?.token.startsWith(ACCESS_PREFIX)) return await byToken(shown.token)
        return await identify(headers)
      } catch (thrown) {
        throw challenged(thrown)
      }
    },
    insufficientScope: ({ permissions }, wanted) => {
      // All that the client needs from now on, and not only what it lacks: it asks for exactly these.
      const needed = new Set<string>([...permissions, ...wanted])
      const scopes = ALL_SCOPES.filter((one) => needed.has(one))
      const challenge = bearer({ ...realm, scope: scopeText(scopes), error: 'insufficient_scope' })
      return new AppError('FORBIDDEN', `The token does not carry ${wanted.join(' or ')}`, { challenge })
    },
  }
}
