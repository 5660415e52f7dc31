/** The rules of API keys: owners and format. Only the hash of a key is stored. */

import { createSecret, hashSecret, isSameHash } from '../../base/security/secret-token.ts'
import { AppError, invalidField, notFound, orNotFound } from '../../contract/errors.ts'
import { MAX_NAME } from '../../contract/fields/fields.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import type { ParsedInputOf, Permission } from '../../kernel/operation.ts'
import type { RecordScope } from '../../resource/recorder.ts'
import { findUser, lockAccount, RIGHTS_TABLES, requireCharge, requireChargeById } from '../users/account.ts'
import { loadCoverage } from '../users/covering.ts'
import { lockScope } from '../users/grants.ts'
import { type ApiKey, type ApiKeyDraft, keys, type NewApiKey } from './api.ts'
import * as store from './store.ts'
import type { ApiKeyRow } from './table.ts'

const PREFIX = 'plat_'
/** The length of the visible prefix: enough to identify a key, 24 of its 256 bits. */
const SHOWN_CHARACTERS = PREFIX.length + 4

/** Generates a key, with the values that are stored of it. */
export const makeKey = (): { key: string; key_hash: string; prefix: string } => {
  const key = createSecret(PREFIX)
  return { key, key_hash: hashSecret(key), prefix: key.slice(0, SHOWN_CHARACTERS) }
}

export type FoundKey = {
  readonly key: ApiKeyRow
  /** The hash is that of the value before the last rotation. */
  readonly isPrevious: boolean
}

/** Returns the key with this hash, also if it has expired. */
export const findKeyByHash = async (scope: DbScope, hash: string): Promise<FoundKey | undefined> => {
  const key = await store.findByHash(scope, hash)
  if (key && isSameHash(key.key_hash, hash)) return { key, isPrevious: false }
  const rotated = await store.findByPreviousHash(scope, hash)
  return rotated && isSameHash(rotated.previous_hash ?? '', hash) ? { key: rotated, isPrevious: true } : undefined
}

/** Returns the existing keys of the ids, also expired ones. */
export const findKeysByIds = store.findAll

export const recordKeyUse = store.recordUse

/** Deletes all keys of a user. @returns the deleted keys */
export const endUserKeys = async (scope: RecordScope, userId: string): Promise<ApiKey[]> => {
  const keys = await store.findByUser(scope, userId)
  for (const { id } of keys) await store.remove(scope, id)
  return keys
}

/** Deletes keys made by other users, who must not gain new permissions of the owner. @returns these keys */
export const endKeysMadeByOthers = async (scope: DbScope, userIds: readonly string[]): Promise<ApiKey[]> => {
  const keys = await store.findMadeByOthers(scope, userIds)
  for (const { id } of keys) await store.remove(scope, id)
  return keys
}

const endedFor = async (ctx: Ctx, userIds: readonly string[]): Promise<void> => {
  const keys = await endKeysMadeByOthers(ctx, userIds)
  if (keys.length > 0) await ctx.emit('key.deleted')
  if (keys.length > 0)
    ctx.log.info('API keys ended that another user had made for their owner', {
      request_id: ctx.requestId,
      api_key_ids: keys.map(({ id }) => id),
    })
}

const getUserIdOrThrow = ({ caller }: Ctx): string => {
  if (caller.userId === undefined) throw new AppError('UNAUTHORIZED', 'Only a user has API keys')
  return caller.userId
}

/** @throws AppError NOT_FOUND, also for another user's key without the permission; FORBIDDEN as `requireCharge` */
const getOrThrow = async (ctx: Ctx, id: string, permission: Permission): Promise<ApiKey> => {
  const key = await store.find(ctx, id)
  const isVisible = key && (key.user_id === getUserIdOrThrow(ctx) || ctx.caller.permissions.has(permission))
  if (!isVisible) throw notFound('API key', id)
  await requireChargeById(ctx, key.user_id)
  return key
}

/** Returns the owner of a new key. A key has the permissions of its owner, so the caller must hold all of them. */
const resolveOwner = async (ctx: Ctx, user_id: string | null): Promise<string> => {
  const own = getUserIdOrThrow(ctx)
  const id = user_id ?? own
  if (id !== own) ctx.require('apikeys:create')
  // Until commit, no other transaction changes the owner's roles or password, or adds a key.
  await lockAccount(ctx, id)
  const user = await findUser(ctx, id)
  if (!user && id === own) throw new AppError('UNAUTHORIZED', 'Your account is gone')
  if (!user) throw invalidField('user_id', `there is no user with id "${id}"`)
  if (id !== own) await requireCharge(ctx, user)
  return id
}

/** More keys than a person can tell apart, and far fewer than slow down a list. */
const MAX_UNEXPIRED = 100

/** @throws AppError LIMIT_REACHED */
const requireRoom = async (ctx: Ctx, userId: string): Promise<void> => {
  if ((await store.countUnexpired(ctx, userId, ctx.now)) < MAX_UNEXPIRED) return
  throw new AppError(
    'LIMIT_REACHED',
    `A user has at most ${MAX_UNEXPIRED} API keys that have not expired; delete an unused one`,
  )
}

/** Returns the user who makes a key: of a key made by another user, its maker, so that both end together. */
const findMaker = async (ctx: Ctx): Promise<string> => {
  const { via, credentialId } = ctx.caller
  const shown = via === 'key' && credentialId !== undefined ? await store.find(ctx, credentialId) : undefined
  return shown?.created_by ?? getUserIdOrThrow(ctx)
}

const create = async (ctx: Ctx, draft: ApiKeyDraft): Promise<NewApiKey> => {
  const { name, expires_at, feed_id, scope_id, user_id: wanted, permissions, allowed_cidrs } = draft
  const user_id = await resolveOwner(ctx, wanted)
  if (expires_at !== null && expires_at <= ctx.now) throw invalidField('expires_at', 'must be in the future')
  // Locked, so that the feed is not deleted before the key is there.
  if (feed_id !== null && !(await store.lockFeed(ctx, feed_id)))
    throw invalidField('feed_id', `there is no feed with id "${feed_id}"`)
  if (scope_id !== null && !(await lockScope(ctx, scope_id)))
    throw invalidField('scope_id', `there is no scope with id "${scope_id}"`)
  await requireRoom(ctx, user_id)
  const { key, key_hash, prefix } = makeKey()
  const created_by = await findMaker(ctx)
  const stored = { id: Bun.randomUUIDv7(), name, user_id, created_at: ctx.now, expires_at, prefix, created_by, feed_id }
  const limits = {
    scope_id,
    permissions: permissions && JSON.stringify(permissions),
    allowed_cidrs: allowed_cidrs.length === 0 ? null : JSON.stringify(allowed_cidrs),
  }
  await store.insert(ctx, { ...stored, ...limits, key_hash })
  const { id } = stored
  const apiKey = orNotFound(await store.find(ctx, id), 'API key', id)
  await ctx.emit('key.created')
  return { ...apiKey, key }
}

type LoginKey = { readonly userId: string; readonly name: string; readonly expires_at: string }

/** Creates the key of a device that a user has signed in. A taken name gets the id of the key. @throws AppError LIMIT_REACHED */
export const createLoginKey = async (ctx: Ctx, { userId, name, expires_at }: LoginKey): Promise<NewApiKey> => {
  await lockAccount(ctx, userId)
  await requireRoom(ctx, userId)
  const { key, key_hash, prefix } = makeKey()
  const id = Bun.randomUUIDv7()
  const isTaken = await store.hasName(ctx, userId, name)
  const own = isTaken ? `${[...name].slice(0, MAX_NAME - id.length - 1).join('')} ${id}` : name
  const owner = { user_id: userId, created_by: userId, feed_id: null }
  await store.insert(ctx, { id, name: own, ...owner, created_at: ctx.now, expires_at, prefix, key_hash })
  const apiKey = orNotFound(await store.find(ctx, id), 'API key', id)
  await ctx.emit('key.created')
  return { ...apiKey, key }
}

const addSeconds = (now: string, seconds: number): string => new Date(Date.parse(now) + seconds * 1000).toISOString()

const rotate = async (ctx: Ctx, { id, overlap_seconds }: ParsedInputOf<typeof keys.rotate>): Promise<NewApiKey> => {
  await store.lock(ctx, id)
  const before = await getOrThrow(ctx, id, 'apikeys:create')
  const { user_id, expires_at } = before
  if (user_id === null) throw invalidField('id', 'is of a key without an owner; make a new one')
  if (expires_at !== null && expires_at <= ctx.now)
    throw invalidField('id', 'is of a key that has expired; make a new one')
  const maker = await findMaker(ctx)
  const { key, key_hash, prefix } = makeKey()
  const end = addSeconds(ctx.now, overlap_seconds)
  await store.rotate(ctx, id, {
    ...{ key_hash, prefix, rotated_at: ctx.now },
    // The caller learns the new value. A key made by another user stays so: its maker may still know the old one.
    created_by: maker === user_id ? before.created_by : maker,
    previous_expires_at: expires_at !== null && expires_at < end ? expires_at : end,
  })
  const apiKey = orNotFound(await store.find(ctx, id), 'API key', id)
  await ctx.emit('key.rotated')
  return { ...apiKey, key }
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await store.lock(ctx, id)
  const key = await getOrThrow(ctx, id, 'apikeys:delete')
  ctx.precondition(key)
  await store.remove(ctx, id)
  await ctx.emit('key.deleted')
}

export const feature: Feature = {
  operations: implement(keys, {
    list: async (ctx, { user_id, feed_id, ...page }) => {
      const owner = getUserIdOrThrow(ctx)
      const isAll = ctx.caller.permissions.has('apikeys:list')
      // Includes users: their keys are deleted with them, and their rights decide which callers see them.
      const revision = await ctx.store.revision(['api_keys', 'api_key_uses', ...RIGHTS_TABLES])
      let query = store.query(ctx)
      if (isAll && user_id !== undefined) await requireChargeById(ctx, user_id)
      const coverage = isAll ? await loadCoverage(ctx) : undefined
      const isCovered = coverage?.ownerIs('api_keys.user_id')
      if (isCovered) query = query.where(isCovered)
      if (!isAll) query = query.where('api_keys.user_id', '=', owner)
      if (user_id !== undefined) query = query.where('api_keys.user_id', '=', user_id)
      if (feed_id !== undefined) query = query.where('api_keys.feed_id', '=', feed_id)
      return listRows(ctx, {
        // The same URL lists different keys for different users, and a browser cache knows only the URL.
        revision: `${revision} ${coverage?.tag ?? owner}`,
        query,
        page,
        row: store.toApiKey,
      })
    },
    create,
    rotate,
    get: async (ctx, { id }) => getOrThrow(ctx, id, 'apikeys:read'),
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
  reactions: {
    'user.deleting': (ctx, { id }: { id: string }) => store.removeOfUser(ctx, id),
    'user.roles-changed': (ctx, { ids }: { ids: readonly string[] }) => endedFor(ctx, ids),
    'feed.deleted': async (ctx, { id }: { id: string }) => {
      if ((await store.removeOfFeed(ctx, id)).length > 0) await ctx.emit('key.deleted')
    },
    'user.password-changed': (ctx, { id }: { id: string }) => endedFor(ctx, [id]),
  },
}
