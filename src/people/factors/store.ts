/** The queries of second factors; the only writer of their tables. Sealed secrets pass through it as they are. */

import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import type { FactorChallengeRow, FactorFailureRow, PasskeyRow, TotpRow } from './table.ts'

export const findTotp = ({ db }: DbScope, userId: string): Promise<TotpRow | undefined> =>
  db.selectFrom('totp').selectAll().where('user_id', '=', userId).executeTakeFirst()

export const insertTotp = async ({ db }: DbScope, row: TotpRow): Promise<void> => {
  await db.insertInto('totp').values(row).execute()
}

export const updateTotp = async (
  { db }: DbScope,
  id: string,
  change: Partial<Pick<TotpRow, 'last_step' | 'confirmed_at' | 'last_used_at'>>,
): Promise<void> => {
  await db.updateTable('totp').set(change).where('id', '=', id).execute()
}

export const removeTotp = async ({ db }: DbScope, userId: string): Promise<void> => {
  await db.deleteFrom('totp').where('user_id', '=', userId).execute()
}

/** In the order of their creation. */
export const findPasskeys = ({ db }: DbScope, userId: string): Promise<PasskeyRow[]> =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute()

export const findPasskey = ({ db }: DbScope, id: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst()

export const findPasskeyByCredential = ({ db }: DbScope, credentialId: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

export const hasPasskeys = async ({ db }: DbScope): Promise<boolean> =>
  (await db.selectFrom('passkeys').select('id').limit(1).executeTakeFirst()) !== undefined

export const insertPasskey = async ({ db }: DbScope, row: PasskeyRow): Promise<void> => {
  await db.insertInto('passkeys').values(row).execute()
}

export const renamePasskey = async ({ db }: DbScope, id: string, name: string): Promise<void> => {
  await db
    .updateTable('passkeys')
    .set({ name, name_key: toNameKey(name) })
    .where('id', '=', id)
    .execute()
}

type PasskeyUse = { readonly id: string; readonly before: number; readonly counter: number; readonly at: string }

/** Records a use. @returns false if the passkey is gone, or another sign-in has moved its counter */
export const recordPasskeyUse = async ({ db }: DbScope, { id, before, counter, at }: PasskeyUse): Promise<boolean> => {
  const used = await db
    .updateTable('passkeys')
    .set({ counter, last_used_at: at })
    .where('id', '=', id)
    .where('counter', '=', before)
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

export const removePasskey = async ({ db }: DbScope, id: string): Promise<void> => {
  await db.deleteFrom('passkeys').where('id', '=', id).execute()
}

export const countCodes = async ({ db }: DbScope, userId: string): Promise<number> =>
  (await db.selectFrom('recovery_codes').select('code_hash').where('user_id', '=', userId).execute()).length

export const findSalt = async ({ db }: DbScope, userId: string): Promise<string | undefined> =>
  (await db.selectFrom('recovery_codes').select('salt').where('user_id', '=', userId).limit(1).executeTakeFirst())?.salt

/** Deletes a code. @returns false if there is none of this hash */
export const takeCode = async ({ db }: DbScope, userId: string, hash: string): Promise<boolean> => {
  const taken = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .returning('code_hash')
    .executeTakeFirst()
  return taken !== undefined
}

export const removeCodes = async ({ db }: DbScope, userId: string): Promise<void> => {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

type Codes = { readonly salt: string; readonly hashes: readonly string[] }

export const replaceCodes = async (scope: DbScope, user_id: string, { salt, hashes }: Codes): Promise<void> => {
  await removeCodes(scope, user_id)
  await scope.db
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id, code_hash, salt })))
    .execute()
}

export const findFailures = ({ db }: DbScope, userId: string): Promise<FactorFailureRow | undefined> =>
  db.selectFrom('factor_failures').selectAll().where('user_id', '=', userId).executeTakeFirst()

export const clearFailures = async ({ db }: DbScope, userId: string): Promise<void> => {
  await db.deleteFrom('factor_failures').where('user_id', '=', userId).execute()
}

export const setFailures = async ({ db }: DbScope, row: FactorFailureRow): Promise<void> => {
  const { failures, blocked_until } = row
  await db
    .insertInto('factor_failures')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ failures, blocked_until }))
    .execute()
}

export const insertChallenge = async ({ db }: DbScope, row: FactorChallengeRow): Promise<void> => {
  await db.insertInto('factor_challenges').values(row).execute()
}

/** Deletes and returns a challenge: of several requests with one, one gets it. */
export const takeChallenge = ({ db }: DbScope, id: string): Promise<FactorChallengeRow | undefined> =>
  db.deleteFrom('factor_challenges').where('id', '=', id).returningAll().executeTakeFirst()

const PURGE_BATCH = 500

/** Deletes some of the expired challenges. @returns false if there are none left */
export const removeExpiredChallenges = async ({ db }: StoreScope, now: string): Promise<boolean> => {
  const expired = await db
    .selectFrom('factor_challenges')
    .select('id')
    .where('expires_at', '<=', now)
    .limit(PURGE_BATCH)
    .execute()
  if (expired.length === 0) return false
  const ids = expired.map(({ id }) => id)
  await db.deleteFrom('factor_challenges').where('id', 'in', ids).execute()
  return expired.length === PURGE_BATCH
}
