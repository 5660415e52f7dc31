/** The queries of API keys; the only writer of their tables. */

import { AppError } from '../../contract/errors.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { getViolation } from '../../database/violations.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { Use } from '../../kernel/jobs/usage-tracker.ts'
import { buildNameKeys, toNameKey } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { ApiKey } from './api.ts'
import { parseStoredLimits } from './limits.ts'
import type { ApiKeyRow } from './table.ts'

/** Returns all keys, by name. `toApiKey` returns their public form. */
export const query = ({ db }: DbScope) =>
  db
    .selectFrom('api_keys')
    .leftJoin('api_key_uses', 'api_key_uses.key_id', 'api_keys.id')
    .select([
      'api_keys.id',
      'api_keys.name',
      'api_keys.user_id',
      'api_keys.created_at',
      'api_key_uses.last_used_at',
      'api_keys.expires_at',
      'api_keys.prefix',
      'api_keys.created_by',
      'api_keys.feed_id',
      'api_keys.scope_id',
      'api_keys.permissions',
      'api_keys.allowed_cidrs',
      'api_key_uses.last_used_ip',
      'api_keys.rotated_at',
      'api_keys.previous_expires_at',
    ])
    .orderBy('api_keys.name_order')
    .orderBy('api_keys.id')

type Listed = Omit<ApiKey, 'permissions' | 'allowed_cidrs'> & Pick<ApiKeyRow, 'permissions' | 'allowed_cidrs'>

/** Returns the public form of a key. */
export const toApiKey = (row: Listed): ApiKey => ({ ...row, ...parseStoredLimits(row) })

export const find = async (scope: DbScope, id: string): Promise<ApiKey | undefined> => {
  const row = await query(scope).where('api_keys.id', '=', id).executeTakeFirst()
  return row && toApiKey(row)
}

/** Locks the key until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<void> => {
  await ctx.store.sql.lockRows(ctx.db.selectFrom('api_keys').select('id').where('id', '=', id)).executeTakeFirst()
}

/** Returns the existing keys of the ids. */
export const findAll = async ({ db }: DbScope, ids: readonly string[]): Promise<ApiKeyRow[]> => {
  const found: ApiKeyRow[] = []
  for (const some of splitBatches(ids))
    found.push(...(await db.selectFrom('api_keys').selectAll().where('id', 'in', some).execute()))
  return found
}

export const findByHash = ({ db }: DbScope, hash: string): Promise<ApiKeyRow | undefined> =>
  db.selectFrom('api_keys').selectAll().where('key_hash', '=', hash).executeTakeFirst()

/** Returns the key that had this hash before its last rotation. */
export const findByPreviousHash = ({ db }: DbScope, hash: string): Promise<ApiKeyRow | undefined> =>
  db.selectFrom('api_keys').selectAll().where('previous_hash', '=', hash).executeTakeFirst()

const recorder = createRecorder({
  ...{ kind: 'api-key', table: 'api_keys' },
  find: async (ctx, ids) =>
    // A use is no change of a key.
    (await query(ctx).where('api_keys.id', 'in', ids).execute()).map((row) => ({
      ...toApiKey(row),
      ...{ last_used_at: null, last_used_ip: null },
    })),
})

type Rotation = Pick<ApiKeyRow, 'key_hash' | 'prefix' | 'created_by' | 'rotated_at' | 'previous_expires_at'>

/** Replaces the hash of a key, and keeps the present one as the previous. */
export const rotate = (scope: RecordScope, id: string, rotation: Rotation): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db
      .updateTable('api_keys')
      .set((eb) => ({ ...rotation, previous_hash: eb.ref('key_hash') }))
      .where('id', '=', id)
      .execute()
  })

type Limits = Pick<ApiKeyRow, 'permissions' | 'allowed_cidrs' | 'scope_id'>
type NewRow = Omit<
  ApiKeyRow,
  keyof Limits | 'name_key' | 'name_order' | 'rotated_at' | 'previous_hash' | 'previous_expires_at'
> &
  Partial<Limits>

/** Returns true if the user has a key of this name. */
export const hasName = async ({ db }: DbScope, userId: string, name: string): Promise<boolean> =>
  (await db
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', userId)
    .where('name_key', '=', toNameKey(name))
    .executeTakeFirst()) !== undefined

/** @throws AppError ALREADY_EXISTS */
export const insert = (scope: RecordScope, key: NewRow): Promise<void> =>
  recorder.write(scope, [key.id], () => insertRows(scope, key))

const insertRows = async ({ db }: DbScope, key: NewRow): Promise<void> => {
  try {
    await db
      .insertInto('api_keys')
      .values({ ...key, ...buildNameKeys(key.name) })
      // `returning` makes a batched insert wait for its result.
      .returning('id')
      .execute()
  } catch (cause) {
    const violation = getViolation(cause)
    if (violation?.name === 'api_keys_user_id_name_key')
      throw new AppError('ALREADY_EXISTS', `There is an API key called "${key.name}" already`, {
        cause,
        details: [{ field: 'name', message: 'is the name of another key of the same user' }],
      })
    throw cause
  }
  await db.insertInto('api_key_uses').values({ key_id: key.id, last_used_at: null, last_used_ip: null }).execute()
}

/** Counts the keys of the user that have not expired at a time. */
export const countUnexpired = async ({ db }: DbScope, userId: string, now: string): Promise<number> => {
  const { n } = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** The number of users with keys that are queried together. */
const MOST_AT_ONCE = 500

/** Returns the keys of these users that other users are known to have made. */
export const findMadeByOthers = async (scope: DbScope, userIds: readonly string[]): Promise<ApiKey[]> => {
  const found: ApiKey[] = []
  for (let i = 0; i < userIds.length; i += MOST_AT_ONCE) {
    const rows = await query(scope)
      .where('api_keys.user_id', 'in', userIds.slice(i, i + MOST_AT_ONCE))
      .whereRef('api_keys.created_by', '<>', 'api_keys.user_id')
      .execute()
    found.push(...rows.map(toApiKey))
  }
  return found
}

/** Returns the keys of the user. */
export const findByUser = async (scope: DbScope, userId: string): Promise<ApiKey[]> => {
  const rows = await query(scope).where('api_keys.user_id', '=', userId).execute()
  return rows.map(toApiKey)
}

/** Deletes the keys of a feed. @returns the deleted keys */
export const removeOfFeed = async (scope: RecordScope, feedId: string): Promise<ApiKey[]> => {
  const keys = await query(scope).where('api_keys.feed_id', '=', feedId).execute()
  for (const { id } of keys) await remove(scope, id)
  return keys.map(toApiKey)
}

export const removeOfUser = async (scope: RecordScope, userId: string): Promise<void> => {
  await recorder.writeWhere(
    scope,
    () => scope.db.selectFrom('api_keys').select('id').where('user_id', '=', userId).execute(),
    () => scope.db.deleteFrom('api_keys').where('user_id', '=', userId).returning('id').execute(),
  )
}

export const remove = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('api_keys').where('id', '=', id).execute()
  })

/** Updates time and address of the last use, only forward; does not recreate a deleted key. */
export const recordUse = async ({ db }: DbScope, id: string, { usedAt, client }: Use): Promise<void> => {
  await db
    .updateTable('api_key_uses')
    .set({ last_used_at: usedAt, last_used_ip: client === '' ? null : client })
    .where('key_id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', usedAt)]))
    .execute()
}

/** Locks the feed of a key until commit. Returns false if there is none. */
export const lockFeed = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await ctx.store.sql.lockRows(ctx.db.selectFrom('feeds').select('id').where('id', '=', id)).executeTakeFirst()) !==
  undefined
