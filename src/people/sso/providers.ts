/** The rules of identity providers. A secret is sealed before it reaches the database. */

import type { Config } from '../../base/config/config.ts'
import { type Place, SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import type { Outbound } from '../../base/security/outbound.ts'
import { AppError, type FieldIssue, invalidField, nameTaken, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Ctx, type DbScope, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { buildMissingKeyIssue } from '../../secrets/secrets/secrets.ts'
import { removeMembershipsFrom } from '../groups/groups.ts'
import { endCredentials } from '../revoke-access/end-credentials.ts'
import { type Account, findAccounts } from '../users/account.ts'
import { type SsoProviderDraft, type SsoProviderPatch, ssoProviders } from './api.ts'
import { checkMappings, requireGroupsHeld } from './groups.ts'
import * as identityStore from './identity-store.ts'
import { type OidcClient, OidcError, type Registration } from './oidc-client.ts'
import { requireUsersHeld } from './provider-rights.ts'
import * as store from './provider-store.ts'
import type { SsoProvider } from './schema.ts'
import { endSessions, type SessionEnding } from './sessions.ts'

export type ProviderOptions = SessionEnding & {
  readonly config: Pick<Config, 'publicUrl'>
  readonly secrets: Secrets
  readonly oidc: OidcClient
  /** The client of requests to providers. */
  readonly providerOutbound: Outbound
}

export const CALLBACK_PATH = '/api/auth/sso/callback'

const NEEDS_HTTPS = 'must be an https URL, or allow_http true'

const buildSecretPlace = (id: string): Place => ({ table: 'sso_providers', column: 'client_secret', id })

/** Adds the addresses to register at the provider. */
export const toSentProvider = ({ publicUrl }: ProviderOptions['config'], provider: store.Provider): SsoProvider => {
  const { created_at, updated_at, ...fields } = provider
  const at = (path: string): string => (publicUrl === undefined ? '' : publicUrl + path)
  return {
    ...fields,
    redirect_uri: at(CALLBACK_PATH),
    backchannel_logout_uri: at(`/api/auth/sso/${encodeURIComponent(provider.id)}/backchannel-logout`),
    created_at,
    updated_at,
  }
}

/** @throws OidcError if the stored secret cannot be opened */
export const buildRegistration = (secrets: Secrets, { provider, sealed }: store.Stored): Registration => {
  const { id, issuer, client_id, allow_http } = provider
  try {
    return {
      id,
      issuer,
      client_id,
      allow_http,
      secret: sealed === null ? undefined : secrets.open(buildSecretPlace(id), sealed),
    }
  } catch (cause) {
    if (!(cause instanceof SealedValueError)) throw cause
    throw new OidcError('the stored client secret cannot be decrypted', 'wrong', { cause })
  }
}

export const getProviderOrThrow = async (scope: DbScope, id: string): Promise<store.Stored> =>
  orNotFound(await store.find(scope, id), 'sso-provider', id)

type Change = { readonly after: store.Provider; readonly before?: store.Provider; readonly secret: string | undefined }

const checkProvider = async (ctx: Ctx, { secrets, config }: ProviderOptions, change: Change): Promise<FieldIssue[]> => {
  const { after, before, secret } = change
  const issues = await checkMappings(ctx, after.group_mappings)
  if (config.publicUrl === undefined) issues.push({ field: 'issuer', message: 'needs the setting PUBLIC_URL' })
  if (after.issuer.startsWith('http:') && !after.allow_http) issues.push({ field: 'issuer', message: NEEDS_HTTPS })
  if (secret && !secrets.isEnabled) issues.push(buildMissingKeyIssue('client_secret'))
  if (!before || before.issuer === after.issuer) return issues
  if (await identityStore.hasAny(ctx, after.id))
    issues.push({ field: 'issuer', message: 'cannot change, because users have signed in by this provider' })
  // It is sent to the issuer, and an editor of the provider need not know it.
  const isElsewhere = new URL(before.issuer).origin !== new URL(after.issuer).origin
  if (isElsewhere && before.has_secret && secret === undefined)
    issues.push({
      field: 'client_secret',
      message: 'is needed again, because the issuer has another scheme, host or port',
    })
  return issues
}

const requireFreeName = async (ctx: Ctx, provider: store.Provider): Promise<void> => {
  if (await store.findNamesake(ctx, provider)) throw nameTaken('identity provider', provider.name)
}

const sealSecret = ({ secrets }: ProviderOptions, id: string, secret: string): string | null =>
  secret === '' ? null : secrets.seal(buildSecretPlace(id), secret)

const create = async (ctx: Ctx, options: ProviderOptions, draft: SsoProviderDraft): Promise<SsoProvider> => {
  const id = Bun.randomUUIDv7()
  const { client_secret, ...fields } = draft
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const provider: store.Provider = { id, ...fields, has_secret: client_secret !== '', ...times }
  rejectIssues(await checkProvider(ctx, options, { after: provider, secret: client_secret }))
  await requireGroupsHeld(ctx, provider.group_mappings)
  await requireUsersHeld(ctx, [provider])
  await requireFreeName(ctx, provider)
  await store.insert(ctx, { provider, sealed: sealSecret(options, id, client_secret) }, ctx.caller.userId ?? null)
  return toSentProvider(options.config, (await getProviderOrThrow(ctx, id)).provider)
}

const lockForChange = async (ctx: Ctx, { config }: ProviderOptions, id: string): Promise<store.Stored> => {
  const stored = orNotFound(await store.lock(ctx, id), 'sso-provider', id)
  ctx.precondition(toSentProvider(config, stored.provider))
  // A change of a provider decides which users it has.
  await requireGroupsHeld(ctx, stored.provider.group_mappings)
  return stored
}

const update = async (
  ctx: Ctx,
  options: ProviderOptions,
  { id, client_secret, ...patch }: SsoProviderPatch,
): Promise<SsoProvider> => {
  const before = await lockForChange(ctx, options, id)
  const { value, changes } = merge(before.provider, patch)
  const has_secret = client_secret === undefined ? before.sealed !== null : client_secret !== ''
  const after = { ...value, has_secret }
  rejectIssues(await checkProvider(ctx, options, { after, before: before.provider, secret: client_secret }))
  if (changes.length === 0 && client_secret === undefined) return toSentProvider(options.config, before.provider)
  await requireGroupsHeld(ctx, after.group_mappings)
  await requireUsersHeld(ctx, [before.provider, after])
  await requireFreeName(ctx, after)
  const sealed = client_secret === undefined ? before.sealed : sealSecret(options, id, client_secret)
  const changed = { ...after, updated_at: ctx.now }
  await store.update(ctx, { provider: changed, sealed })
  await store.commitChange(ctx, id, ctx.caller.userId ?? null)
  return toSentProvider(options.config, changed)
}

/**
 * Keys and OAuth grants never sleep without a provider. The keys and grants of a user who has left would open again.
 * @returns the rest, for after the removal of the provider: it ends the credentials that would wake up
 */
const watchSleepers = async (ctx: Ctx, userIds: readonly string[]): Promise<() => Promise<void>> => {
  const isAsleep = ({ sleepsMs }: Pick<Account, 'sleepsMs'>) => sleepsMs <= Date.parse(ctx.now)
  const before = [...(await findAccounts(ctx, userIds)).values()].filter(isAsleep).map(({ id }) => id)
  return async () => {
    for (const account of (await findAccounts(ctx, before)).values()) {
      if (isAsleep(account)) continue
      const { keys, grants } = await endCredentials(ctx, account.id)
      if (keys.length > 0) await ctx.emit('key.deleted')
      ctx.log.info('credentials ended that slept until a sign-in by the deleted identity provider', {
        ...{ request_id: ctx.requestId, username: account.username },
        ...{ api_key_ids: keys.map(({ id }) => id), oauth_grant_ids: grants.map(({ id }) => id) },
      })
    }
  }
}

/** Ends its sessions before the transaction if they are stored elsewhere, because a transaction contains only SQL. */
const remove = async (ctx: Ctx, options: ProviderOptions, id: string): Promise<(tx: Ctx) => Promise<void>> => {
  const before = await getProviderOrThrow(ctx, id)
  // Sessions elsewhere end before the transaction, which checks the rights again.
  await requireGroupsHeld(ctx, before.provider.group_mappings)
  await requireUsersHeld(ctx, [before.provider])
  const end = await endSessions(ctx, options, { providerId: id })
  return async (tx) => {
    const { provider } = await lockForChange(tx, options, id)
    await requireUsersHeld(tx, [provider])
    await end(tx)
    await removeMembershipsFrom(tx, id)
    const endSleeping = await watchSleepers(tx, await identityStore.findUserIds(tx, id))
    await store.remove(tx, id)
    await endSleeping()
  }
}

/** Drops the mappings to a group that is deleted. */
export const dropGroup = async (ctx: Ctx, groupId: string): Promise<void> => {
  for (const row of await store.query(ctx).execute()) {
    const provider = store.toProvider(row)
    const group_mappings = provider.group_mappings.filter(({ group_id }) => group_id !== groupId)
    if (group_mappings.length === provider.group_mappings.length) continue
    const changed = { ...provider, group_mappings, updated_at: ctx.now }
    await store.update(ctx, { provider: changed, sealed: row.client_secret })
  }
}

/** Runs a request to a provider. @throws AppError PROVIDER_UNREACHABLE */
const withUnreachable = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OidcError)) throw error
    throw new AppError('PROVIDER_UNREACHABLE', error.message, { cause: error })
  }
}

export const createProviderOperations = (options: ProviderOptions) => {
  const { config, secrets, oidc, providerOutbound } = options
  /** Resolves names before the transaction, which holds the writer. */
  const checkIssuer = async (issuer: string | undefined): Promise<void> => {
    const problem = issuer === undefined ? undefined : await providerOutbound.problem(issuer)
    if (problem !== undefined) throw invalidField('issuer', problem)
  }
  return implement(ssoProviders, {
    list: async (ctx, { name, ...page }) => {
      const revision = await ctx.store.revision(['sso_providers'])
      let query = store.query(ctx)
      if (name) query = query.where(containsText('name_key', name))
      return listRows(ctx, { revision, query, page, row: (row) => toSentProvider(config, store.toProvider(row)) })
    },
    create: {
      prepare: async (_, draft) => {
        await checkIssuer(draft.issuer)
        return (ctx) => create(ctx, options, draft)
      },
    },
    get: async (ctx, { id }) => toSentProvider(config, (await getProviderOrThrow(ctx, id)).provider),
    update: {
      prepare: async (_, patch) => {
        await checkIssuer(patch.issuer)
        return (ctx) => update(ctx, options, patch)
      },
    },
    delete: { prepare: (ctx, { id }) => remove(ctx, options, id) },
    test: async (ctx, { id }) => {
      const stored = await getProviderOrThrow({ db: ctx.store.read }, id)
      return withUnreachable(async () => oidc.facts(buildRegistration(secrets, stored), ctx.signal))
    },
    check: async ({ signal }, { issuer, allow_http }) => {
      if (issuer.startsWith('http:') && !allow_http) throw invalidField('issuer', NEEDS_HTTPS)
      await checkIssuer(issuer)
      return withUnreachable(() => oidc.facts({ id: '', issuer, allow_http }, signal))
    },
  })
}
