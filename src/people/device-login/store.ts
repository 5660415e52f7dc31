/** The queries of sign-ins of devices; the only writer of their table. */
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { DeviceCodeRow } from './table.ts'

export const insert = async ({ db }: DbScope, row: DeviceCodeRow): Promise<void> => {
  await db.insertInto('device_codes').values(row).execute()
}

/** Returns the device that waits with the code. */
export const findWaiting = ({ db }: DbScope, userCode: string, now: string): Promise<DeviceCodeRow | undefined> =>
  db
    .selectFrom('device_codes')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Locks the device of the device code, until commit. */
export const lock = (ctx: Ctx, codeHash: string): Promise<DeviceCodeRow | undefined> =>
  ctx.store.sql
    .lockRows(ctx.db.selectFrom('device_codes').selectAll().where('code_hash', '=', codeHash))
    .executeTakeFirst()

type Decision = Pick<DeviceCodeRow, 'state' | 'user_id' | 'user_generation'>

/** Stores the decision, once. @returns false if the device no longer waits */
export const storeDecision = async (
  { db }: DbScope,
  { code_hash, decision }: { readonly code_hash: string; readonly decision: Decision },
): Promise<boolean> => {
  const changed = await db
    .updateTable('device_codes')
    .set(decision)
    .where('code_hash', '=', code_hash)
    .where('state', '=', 'pending')
    .returning('code_hash')
    .executeTakeFirst()
  return changed !== undefined
}

export const recordPoll = async ({ db }: DbScope, codeHash: string, now: string): Promise<void> => {
  await db.updateTable('device_codes').set({ polled_at: now }).where('code_hash', '=', codeHash).execute()
}

export const remove = async ({ db }: DbScope, codeHash: string): Promise<void> => {
  await db.deleteFrom('device_codes').where('code_hash', '=', codeHash).execute()
}

/** Returns the keys of rows that have expired. */
export const findExpired = async ({ db }: DbScope, now: string, limit: number): Promise<string[]> =>
  (await db.selectFrom('device_codes').select('code_hash').where('expires_at', '<=', now).limit(limit).execute()).map(
    ({ code_hash }) => code_hash,
  )

export const removeAll = async ({ db }: DbScope, codeHashes: readonly string[]): Promise<void> => {
  await db.deleteFrom('device_codes').where('code_hash', 'in', codeHashes).execute()
}
