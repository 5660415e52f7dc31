/** The rules of DNS servers. A secret is sealed before it reaches the database. */

import type { Config } from '../../base/config/config.ts'
import { type Place, SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { AppError, type FieldIssue, invalidField, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { normalizeName } from '../../net/dns/name.ts'
import { buildMissingKeyIssue } from '../../secrets/secrets/secrets.ts'
import { createDnsClient, type DnsClient } from '../client/client.ts'
import type { DnsConnector } from '../client/connector.ts'
import { DnsError } from '../client/dns-error.ts'
import { type DnsProvider, type DnsProviderDraft, type DnsProviderPatch, dnsProviders } from './api.ts'
import * as store from './store.ts'

export type DnsProviderOptions = {
  readonly secrets: Secrets
  readonly dns: DnsConnector
  readonly now: () => Date
  readonly config: Pick<Config, 'dnsMaxRecords'>
}

const buildSecretLocation = (id: string): Place => ({ table: 'dns_providers', column: 'tsig_secret', id })

const getOrThrow = async (scope: DbScope, id: string): Promise<store.Stored> =>
  orNotFound(await store.find(scope, id), 'dns-provider', id)

/** Returns the 502 of a server that gave no usable answer. */
export const createUnreachableError = (error: DnsError): AppError =>
  new AppError('PROVIDER_UNREACHABLE', error.message, { cause: error })

/** @throws DnsError if the stored secret cannot be opened */
const createClient = (
  { secrets, dns, now, config }: DnsProviderOptions,
  { provider, sealed }: store.Stored,
): DnsClient => {
  const { id, host, port, tsig_name, tsig_algorithm, timeout_seconds } = provider
  const openSecret = (text: string): Uint8Array => {
    try {
      return Buffer.from(secrets.open(buildSecretLocation(id), text), 'base64')
    } catch (error) {
      if (!(error instanceof SealedValueError)) throw error
      throw new DnsError('wrong_secret', 'the stored secret cannot be decrypted', { cause: error })
    }
  }
  const key =
    tsig_name === '' || sealed === null
      ? undefined
      : { name: tsig_name, algorithm: tsig_algorithm, secret: openSecret(sealed) }
  const connect = dns.connect
  return createDnsClient({
    ...{ connect, host, port, key, timeoutMs: timeout_seconds * 1000, now: () => now().getTime() },
    maxRecords: config.dnsMaxRecords,
  })
}

/** Returns the function that makes the client of a DNS server. @throws DnsError without one that works */
export const createClients =
  (options: DnsProviderOptions) =>
  async (scope: DbScope, id: string): Promise<DnsClient> => {
    const stored = await store.find(scope, id)
    if (!stored) throw new DnsError('no_connection', 'the DNS server of the zone is gone')
    return createClient(options, stored)
  }

export const exists = async (scope: DbScope, id: string): Promise<boolean> =>
  (await store.find(scope, id)) !== undefined

const validateKey = (secrets: Secrets, after: DnsProvider, secret: string | undefined): FieldIssue[] => {
  if (secret && !secrets.isEnabled) return [buildMissingKeyIssue('tsig_secret')]
  const isSigned = after.tsig_name !== ''
  return isSigned && !after.has_secret ? [{ field: 'tsig_secret', message: 'is required with a tsig_name' }] : []
}

const encryptSecret = (secrets: Secrets, id: string, secret: string): string | null =>
  secret === '' ? null : secrets.seal(buildSecretLocation(id), secret)

const create = async (ctx: Ctx, secrets: Secrets, draft: DnsProviderDraft): Promise<DnsProvider> => {
  const id = Bun.randomUUIDv7()
  const { name, type, host, port, tsig_name, tsig_algorithm, tsig_secret, timeout_seconds, description } = draft
  const has_secret = tsig_secret !== ''
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const named = { id, name, type, host, port, tsig_name, tsig_algorithm, has_secret }
  const provider: DnsProvider = { ...named, timeout_seconds, description, ...times }
  rejectIssues(validateKey(secrets, provider, tsig_secret))
  await store.insert(ctx, { provider, sealed: encryptSecret(secrets, id, tsig_secret) })
  return provider
}

const lockForChange = async (ctx: Ctx, id: string): Promise<store.Stored> => {
  const stored = orNotFound(await store.lock(ctx, id), 'dns-provider', id)
  ctx.precondition(stored.provider)
  return stored
}

const update = async (
  ctx: Ctx,
  secrets: Secrets,
  { id, tsig_secret, ...patch }: DnsProviderPatch,
): Promise<DnsProvider> => {
  const before = await lockForChange(ctx, id)
  const { value, changes } = merge(before.provider, patch)
  const has_secret = tsig_secret === undefined ? before.sealed !== null : tsig_secret !== ''
  const provider = { ...value, has_secret }
  rejectIssues(validateKey(secrets, provider, tsig_secret))
  if (changes.length === 0 && tsig_secret === undefined) return before.provider
  const sealed = tsig_secret === undefined ? before.sealed : encryptSecret(secrets, id, tsig_secret)
  const changed = { ...provider, updated_at: ctx.now }
  await store.update(ctx, { provider: changed, sealed })
  return changed
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockForChange(ctx, id)
  const zone = await ctx.db
    .selectFrom('dns_zones')
    .select('name')
    .where('provider_id', '=', id)
    .orderBy('name_order')
    .limit(1)
    .executeTakeFirst()
  if (zone) throw new AppError('IN_USE', `The zone ${zone.name} uses this DNS server`)
  await store.remove(ctx, id)
}

/** A server that refuses a query of a zone that it does not serve has accepted the key before: a wrong one has another error. */
const acceptRefusal = (error: unknown): void => {
  if (error instanceof DnsError && (error.isSigned || error.kind === 'refused')) return
  throw error
}

const probe = async (client: DnsClient, zone: string | undefined, signal: AbortSignal): Promise<number | null> => {
  if (zone) return await client.serial(zone, signal)
  await client.query({ name: '.', type: 'SOA' }, signal).catch(acceptRefusal)
  return null
}

export const dnsProvidersFeature = (options: DnsProviderOptions): Feature => {
  const { secrets, dns } = options
  /** Resolves names before the transaction, which holds the writer. */
  const checkHost = async (host: string | undefined): Promise<void> => {
    const problem = host === undefined ? undefined : await dns.problem(host)
    if (problem !== undefined) throw invalidField('host', problem)
  }
  return {
    operations: implement(dnsProviders, {
      list: async (ctx, { name, ...page }) => {
        const revision = await ctx.store.revision(['dns_providers'])
        let query = store.query(ctx)
        if (name) query = query.where(containsText('name_key', name))
        return listRows(ctx, { revision, query, page, row: store.toProvider })
      },
      create: {
        prepare: async (_, draft) => {
          await checkHost(draft.host)
          return (ctx) => create(ctx, secrets, draft)
        },
      },
      get: async (ctx, { id }) => (await getOrThrow(ctx, id)).provider,
      update: {
        prepare: async (_, patch) => {
          await checkHost(patch.host)
          return (ctx) => update(ctx, secrets, patch)
        },
      },
      delete: async (ctx, { id }) => remove(ctx, id),
      test: async (ctx, { id, zone }) => {
        const stored = await getOrThrow({ db: ctx.store.read }, id)
        const startMs = performance.now()
        try {
          const name = zone ? normalizeName(zone) : undefined
          const serial = await probe(createClient(options, stored), name, ctx.signal)
          return { latency_ms: Math.round((performance.now() - startMs) * 10) / 10, serial }
        } catch (error) {
          throw error instanceof DnsError ? createUnreachableError(error) : error
        }
      },
    }),
  }
}
