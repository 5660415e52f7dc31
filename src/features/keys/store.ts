/** The queries of API keys; the only writer of their tables. */

import { AppError } from '../../platform/contract/errors.ts'
import { batches } from '../../platform/db/batches.ts'
import { violationOf } from '../../platform/db/violations.ts'
import type { Ctx, DbScope } from '../ctx.ts'
import type { ApiKey } from './api.ts'
import type { ApiKeyRow } from './table.ts'

/** All keys in their public form, by name. */
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
    ])
    .orderBy('api_keys.name_key')
    .orderBy('api_keys.id')

export const find = (scope: DbScope, id: string): Promise<ApiKey | undefined> =>
  query(scope).where('api_keys.id', '=', id).executeTakeFirst()

/** Locks the key until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<void> => {
  await ctx.store.sql.lockRows(ctx.db.selectFrom('api_keys').select('id').where('id', '=', id)).executeTakeFirst()
}

/** Returns the fields of the existing keys of the ids that decide if they have ended. */
export const findAll = async (
  { db }: DbScope,
  ids: readonly string[],
): Promise<Pick<ApiKeyRow, 'id' | 'user_id' | 'expires_at'>[]> => {
  const found: Pick<ApiKeyRow, 'id' | 'user_id' | 'expires_at'>[] = []
  for (const some of batches(ids))
    found.push(
      ...(await db.selectFrom('api_keys').select(['id', 'user_id', 'expires_at']).where('id', 'in', some).execute()),
    )
  return found
}

export const findByHash = ({ db }: DbScope, hash: string): Promise<ApiKeyRow | undefined> =>
  db.selectFrom('api_keys').selectAll().where('key_hash', '=', hash).executeTakeFirst()

/** @throws AppError ALREADY_EXISTS */
export const insert = async ({ db }: DbScope, key: Omit<ApiKeyRow, 'name_key'>): Promise<void> => {
  try {
    await db
      .insertInto('api_keys')
      .values({ ...key, name_key: key.name.toLowerCase() })
      // `returning` makes a batched insert wait for its result.
      .returning('id')
      .execute()
  } catch (cause) {
    const violation = violationOf(cause)
    if (violation?.name === 'api_keys_user_id_name_key')
      throw new AppError('ALREADY_EXISTS', `There is an API key called "${key.name}" already`, {
        cause,
        details: [{ field: 'name', message: 'is the name of another key of the same user' }],
      })
    throw cause
  }
  await db.insertInto('api_key_uses').values({ key_id: key.id, last_used_at: null }).execute()
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

/** The number of users whose keys are queried together. */
const MOST_AT_ONCE = 500

/** Returns the keys of these users that other users are known to have made. */
export const madeByOthers = async (scope: DbScope, userIds: readonly string[]): Promise<ApiKey[]> => {
  const found: ApiKey[] = []
  for (let i = 0; i < userIds.length; i += MOST_AT_ONCE)
    found.push(
      ...(await query(scope)
        .where('api_keys.user_id', 'in', userIds.slice(i, i + MOST_AT_ONCE))
        .whereRef('api_keys.created_by', '<>', 'api_keys.user_id')
        .execute()),
    )
  return found
}

/** Deletes the keys of a feed. @returns the deleted keys */
export const removeOfFeed = async (scope: DbScope, feedId: string): Promise<ApiKey[]> => {
  const keys = await query(scope).where('api_keys.feed_id', '=', feedId).execute()
  for (const { id } of keys) await remove(scope, id)
  return keys
}

export const remove = async ({ db }: DbScope, id: string): Promise<void> => {
  await db.deleteFrom('api_keys').where('id', '=', id).execute()
}

/** Updates the time of last use, only forward; does not recreate a deleted key. */
export const recordUse = async ({ db }: DbScope, id: string, usedAt: string): Promise<void> => {
  await db
    .updateTable('api_key_uses')
    .set({ last_used_at: usedAt })
    .where('key_id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', usedAt)]))
    .execute()
}
