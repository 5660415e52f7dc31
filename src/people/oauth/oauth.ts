/** The authorization server for AI clients, and the management of clients: docs/decisions/oauth.md. */

import { AppError } from '../../contract/errors.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { BoundRaw } from '../../kernel/context.ts'
import { type Feature, implement } from '../../kernel/ctx.ts'
import { createLastUsed } from '../../kernel/jobs/usage-tracker.ts'
import type { Identify } from '../../kernel/request.ts'
import type { Requirement } from '../factors/requirement.ts'
import type { SignIn } from '../sessions/sign-in.ts'
import { oauthClients, oauthGrants, oauthRoutes } from './api.ts'
import { deleteClient, getClient, listClients } from './clients/clients.ts'
import { register } from './clients/register.ts'
import { handleAuthorize, handleConsent } from './consent.ts'
import { deleteGrant, listGrants } from './grants.ts'
import { createMcpAuthenticator, type McpAuthenticator } from './mcp-authenticator.ts'
import { buildResourceMetadata, buildServerMetadata, respondPublic } from './metadata.ts'
import { runEndpoint } from './oauth-error.ts'
import { removeExpired } from './purge.ts'
import { revoke } from './revoke.ts'
import { type OauthConfig, type Settings, toSettings } from './settings.ts'
import { recordUse, removeUserGrants } from './store.ts'
import { handleToken } from './token.ts'

export type OauthOptions = {
  readonly config: OauthConfig
  readonly signIn: SignIn
  readonly requirement: Requirement
  readonly db: Db<Tables>
  readonly now: () => Date
  /** Identifies callers on all other routes. */
  readonly identify: Identify
}

export type Oauth = {
  readonly feature: Feature
  /** Undefined without OAuth: /mcp then only accepts API keys. */
  readonly mcpAuthenticator: McpAuthenticator | undefined
}

/** Deletes all grants of a user and returns the grants that were in force. */
export const endUserGrants = removeUserGrants

const PURGE_MS = 600_000
const RECORD_MS = 5_000

/** Returns the user of a browser session, if any. Other credentials do not count here. */
const limitToSession =
  (identify: Identify): Identify =>
  async (headers, origin) => {
    try {
      const identity = await identify(headers, origin)
      return identity?.caller.via === 'session' ? identity : undefined
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.status === 401) return undefined
      throw thrown
    }
  }

const buildRoutes = (settings: Settings, { signIn, requirement, identify }: OauthOptions): BoundRaw<Tables>[] => {
  const server = async () => respondPublic(buildServerMetadata(settings))
  const resource = async () => respondPublic(buildResourceMetadata(settings))
  const bySession = limitToSession(identify)
  return [
    { route: oauthRoutes.server, handler: server },
    { route: oauthRoutes.serverOfMcp, handler: server },
    { route: oauthRoutes.resource, handler: resource },
    { route: oauthRoutes.resourceOfMcp, handler: resource },
    {
      route: oauthRoutes.register,
      handler: (ctx, request, audit) => runEndpoint(audit, () => register(ctx, request, audit)),
    },
    {
      route: oauthRoutes.authorize,
      identify: bySession,
      handler: (ctx, request, audit) => runEndpoint(audit, () => handleAuthorize(ctx, request, settings)),
    },
    {
      route: oauthRoutes.consent,
      identify: bySession,
      handler: (ctx, request, audit) =>
        runEndpoint(audit, () => handleConsent(ctx, request, { settings, signIn, requirement, audit })),
    },
    {
      route: oauthRoutes.token,
      handler: (ctx, request, audit) => runEndpoint(audit, () => handleToken(ctx, request, { settings, audit })),
    },
    {
      route: oauthRoutes.revoke,
      handler: (ctx, request, audit) => runEndpoint(audit, () => revoke(ctx, request, audit)),
    },
  ]
}

/** While OAuth is off, its paths answer like paths that do not exist. A method that none of them has is a 405 all the same. */
const absentRoutes = Object.values(oauthRoutes).map(
  ({ name, summary, http, access }): BoundRaw<Tables> => ({
    route: { name, summary, http, access },
    handler: async (_ctx, request) => {
      throw new AppError('NOT_FOUND', `There is no ${new URL(request.url).pathname}`)
    },
  }),
)

export const createOauth = (options: OauthOptions): Oauth => {
  const { config, db, now, identify } = options
  const settings = toSettings(config)
  const uses = createLastUsed(db, (tx, id, { usedAt: at }) => {
    const [clientId = '', grantId = ''] = id.split(' ')
    return recordUse(tx, { clientId, grantId }, at)
  })
  return {
    mcpAuthenticator: settings && createMcpAuthenticator({ settings, db, now, identify, uses }),
    feature: {
      operations: [
        // Available without OAuth too, so that existing consents can be listed and ended.
        ...implement(oauthClients, {
          list: listClients,
          get: (ctx, { id }) => getClient(ctx, id),
          delete: (ctx, { id }) => deleteClient(ctx, id),
        }),
        ...implement(oauthGrants, { list: listGrants, delete: (ctx, { id }) => deleteGrant(ctx, id) }),
      ],
      routes: settings ? buildRoutes(settings, options) : absentRoutes,
      jobs: [
        {
          name: 'oauth.record-uses',
          summary: 'Writes when OAuth clients were last used',
          everyMs: RECORD_MS,
          onEveryInstance: true,
          run: uses.flush,
        },
        {
          name: 'oauth.purge',
          summary: 'Deletes expired codes and tokens, and clients without consent',
          everyMs: PURGE_MS,
          runsAtStart: true,
          run: removeExpired,
        },
      ],
      reactions: {
        'user.deleting': async (ctx, { id }: { id: string }) => {
          await endUserGrants(ctx, id)
        },
      },
      close: uses.flush,
    },
  }
}
