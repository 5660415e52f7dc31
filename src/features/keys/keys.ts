/** The rules of API keys: whose they are, what they look like, and that only their hash is kept. */
import { AppError, invalidField, notFound } from '../../platform/contract/errors.ts'
import { etagOf } from '../../platform/contract/etag.ts'
import { listRows } from '../../platform/contract/list.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import { isSameHash, newSecret, secretHash } from '../../platform/security/secret-token.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../ctx.ts'
import { coverageOf, findUser, lockAccount, RIGHTS_TABLES, requireCharge, requireChargeOf } from '../users/account.ts'
import { type ApiKey, type ApiKeyDraft, keys, type NewApiKey } from './api.ts'
import * as store from './store.ts'
import type { ApiKeyRow } from './table.ts'

const PREFIX = 'plat_'
/** Shown of a key: enough to tell keys apart, 24 of its 256 bits. */
const SHOWN_CHARACTERS = PREFIX.length + 4

/** A key as it is handed out, with what is stored of it. */
export const makeKey = (): { key: string; key_hash: string; prefix: string } => {
  const key = newSecret(PREFIX)
  return { key, key_hash: secretHash(key), prefix: key.slice(0, SHOWN_CHARACTERS) }
}

/** The key with this hash, whatever its state. */
export const findKeyByHash = async (scope: DbScope, hash: string): Promise<ApiKeyRow | undefined> => {
  const row = await store.findByHash(scope, hash)
  return row && isSameHash(row.key_hash, hash) ? row : undefined
}

/** Those of the ids that there are, whatever their state. */
export const keysOf = store.findAll

export const recordKeyUse = store.recordUse

/** Deletes all keys of a user, and answers which those were. */
export const endKeysOf = async (scope: DbScope, userId: string): Promise<ApiKey[]> => {
  const keys = await store.query(scope).where('api_keys.user_id', '=', userId).execute()
  for (const { id } of keys) await store.remove(scope, id)
  return keys
}

/**
 * Deletes the keys that somebody else has made for these users, and answers which those were. It is for when a user gets or loses a role,
 * or a new password: who made such a key must not come by what the account has now.
 */
export const endKeysMadeByOthers = async (scope: DbScope, userIds: readonly string[]): Promise<ApiKey[]> => {
  const keys = await store.madeByOthers(scope, userIds)
  for (const { id } of keys) await store.remove(scope, id)
  return keys
}

const endedFor = async (ctx: Ctx, userIds: readonly string[]): Promise<void> => {
  const keys = await endKeysMadeByOthers(ctx, userIds)
  for (const key of keys) await ctx.emit('key.deleted', key)
  if (keys.length > 0)
    ctx.log.info('API keys ended that were made by somebody else than their owner', {
      request_id: ctx.requestId,
      api_key_ids: keys.map(({ id }) => id),
    })
}

const ownerOf = ({ caller }: Ctx): string => {
  if (caller.userId === undefined) throw new AppError('UNAUTHORIZED', 'Only a user has API keys')
  return caller.userId
}

/**
 * @throws AppError NOT_FOUND, for a key of someone else too unless the caller holds the permission; FORBIDDEN for the key of an
 * account that holds more than the caller.
 */
const mustGet = async (ctx: Ctx, id: string, permission: Permission): Promise<ApiKey> => {
  const key = await store.find(ctx, id)
  const isVisible = key && (key.user_id === ownerOf(ctx) || ctx.caller.permissions.has(permission))
  if (!isVisible) throw notFound('API key', id)
  await requireChargeOf(ctx, key.user_id)
  return key
}

/** Whose a new key will be: a key is as good as its owner, so nobody makes one of someone who may do more. */
const newOwner = async (ctx: Ctx, user_id: string | null): Promise<string> => {
  const own = ownerOf(ctx)
  const id = user_id ?? own
  if (id !== own) ctx.require('apikeys:create')
  // Until commit nobody changes the owner's roles or password, nor makes another key of theirs.
  await lockAccount(ctx, id)
  const user = await findUser(ctx, id)
  if (!user && id === own) throw new AppError('UNAUTHORIZED', 'Your account is gone')
  if (!user) throw invalidField('user_id', `there is no user with id "${id}"`)
  if (id !== own) await requireCharge(ctx, user)
  return id
}

/** Above the keys that anyone tells apart, and far below what slows a list. */
const MAX_UNEXPIRED = 100

/** @throws AppError LIMIT_REACHED */
const requireRoom = async (ctx: Ctx, userId: string): Promise<void> => {
  if ((await store.countUnexpired(ctx, userId, ctx.now)) < MAX_UNEXPIRED) return
  throw new AppError(
    'LIMIT_REACHED',
    `A user has at most ${MAX_UNEXPIRED} API keys that have not expired; delete one that is not used any more`,
  )
}

/** Who makes a key. Who shows a key that somebody else has made is that somebody: their keys must not outlive it. */
const makerOf = async (ctx: Ctx): Promise<string> => {
  const { via, credentialId } = ctx.caller
  const shown = via === 'key' && credentialId !== undefined ? await store.find(ctx, credentialId) : undefined
  return shown?.created_by ?? ownerOf(ctx)
}

const create = async (ctx: Ctx, { name, expires_at, user_id: wanted }: ApiKeyDraft): Promise<NewApiKey> => {
  const user_id = await newOwner(ctx, wanted)
  if (expires_at !== null && expires_at <= ctx.now) throw invalidField('expires_at', 'must be in the future')
  await requireRoom(ctx, user_id)
  const { key, key_hash, prefix } = makeKey()
  const created_by = await makerOf(ctx)
  const stored = { id: Bun.randomUUIDv7(), name, user_id, created_at: ctx.now, expires_at, prefix, created_by }
  await store.insert(ctx, { ...stored, key_hash })
  const apiKey: ApiKey = { ...stored, last_used_at: null }
  await ctx.emit('key.created', apiKey)
  return { ...apiKey, key }
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await store.lock(ctx, id)
  const key = await mustGet(ctx, id, 'apikeys:delete')
  ctx.precondition(etagOf(JSON.stringify(key)))
  await store.remove(ctx, id)
  await ctx.emit('key.deleted', key)
}

export const feature: Feature = {
  operations: implement(keys, {
    list: async (ctx, { user_id, ...page }) => {
      const owner = ownerOf(ctx)
      const isAll = ctx.caller.permissions.has('apikeys:list')
      // Users too: their keys go with them, and their rights decide who sees them.
      const revision = await ctx.store.revision(['api_keys', 'api_key_uses', ...RIGHTS_TABLES])
      let query = store.query(ctx)
      if (isAll && user_id !== undefined) await requireChargeOf(ctx, user_id)
      const coverage = isAll ? await coverageOf(ctx) : undefined
      const isCovered = coverage?.ownerIs('api_keys.user_id')
      if (isCovered) query = query.where(isCovered)
      if (!isAll) query = query.where('api_keys.user_id', '=', owner)
      if (user_id !== undefined) query = query.where('api_keys.user_id', '=', user_id)
      return listRows(ctx, {
        // The same address lists other keys for other people, and a browser's cache knows only the address.
        revision: `${revision} ${coverage?.tag ?? owner}`,
        query,
        page,
        row: (key): ApiKey => key,
      })
    },
    create,
    get: async (ctx, { id }) => mustGet(ctx, id, 'apikeys:read'),
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
  reactions: {
    'user.roles-changed': (ctx, { ids }: { ids: readonly string[] }) => endedFor(ctx, ids),
    'user.password-changed': (ctx, { id }: { id: string }) => endedFor(ctx, [id]),
  },
}
