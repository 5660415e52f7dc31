/** The queries of sign-ins in progress, the provider's side of sessions, and logout tokens; the only writer of their tables. */
import type { DbScope } from '../../../kernel/ctx.ts'
import type { SsoSessionRow, SsoStateRow } from '../table.ts'

export const insertState = async ({ db }: DbScope, row: SsoStateRow): Promise<void> => {
  await db.insertInto('sso_states').values(row).execute()
}

/** Deletes the sign-in in progress and returns it, so that it is completed once. */
export const takeState = (
  { db }: DbScope,
  { state_hash, browser_hash }: Pick<SsoStateRow, 'state_hash' | 'browser_hash'>,
): Promise<SsoStateRow | undefined> =>
  db
    .deleteFrom('sso_states')
    .where('state_hash', '=', state_hash)
    .where('browser_hash', '=', browser_hash)
    .returningAll()
    .executeTakeFirst()

export const insertSession = async ({ db }: DbScope, row: SsoSessionRow): Promise<void> => {
  await db.insertInto('sso_sessions').values(row).execute()
}

export const findSession = ({ db }: DbScope, sessionId: string): Promise<SsoSessionRow | undefined> =>
  db.selectFrom('sso_sessions').selectAll().where('session_id', '=', sessionId).executeTakeFirst()

/**
 * All sessions of a provider, the sessions of one of its users, or of one of its sessions. With both, sessions of the user that are of
 * no known session of the provider belong to them.
 */
export type SessionsOf = { readonly providerId: string; readonly sid?: string; readonly subject?: string }

export const findSessionIds = async ({ db }: DbScope, { providerId, sid, subject }: SessionsOf): Promise<string[]> => {
  let query = db.selectFrom('sso_sessions').select('session_id').where('provider_id', '=', providerId)
  if (sid === undefined && subject !== undefined) query = query.where('subject', '=', subject)
  if (sid !== undefined)
    query = query.where((eb) =>
      eb.or([eb('sid', '=', sid), eb.and([eb('sid', '=', ''), eb('subject', '=', subject ?? '')])]),
    )
  return (await query.execute()).map(({ session_id }) => session_id)
}

/** Returns the subjects of these sessions, each once. */
export const findSubjects = async ({ db }: DbScope, { providerId, sid = '' }: SessionsOf): Promise<string[]> =>
  (
    await db
      .selectFrom('sso_sessions')
      .select('subject')
      .distinct()
      .where('provider_id', '=', providerId)
      .where('sid', '=', sid)
      .execute()
  ).map(({ subject }) => subject)

export const removeSession = async ({ db }: DbScope, sessionId: string): Promise<void> => {
  await db.deleteFrom('sso_sessions').where('session_id', '=', sessionId).execute()
}

/** Stores the hash of a logout token. @returns false if it is stored already */
export const storeToken = async ({ db }: DbScope, token_hash: string, expires_at: string): Promise<boolean> => {
  const stored = await db
    .insertInto('sso_seen')
    .values({ token_hash, expires_at })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .returning('token_hash')
    .executeTakeFirst()
  return stored !== undefined
}

type Bound = { readonly now: string; readonly limit: number }
type Kind = {
  /** Returns the keys of rows that have expired. */
  readonly expired: (scope: DbScope, bound: Bound) => Promise<{ readonly key: string }[]>
  readonly remove: (scope: DbScope, keys: readonly string[]) => Promise<unknown>
}

/** The tables with rows that expire. */
export const EXPIRING: readonly Kind[] = [
  {
    expired: ({ db }, { now, limit }) =>
      db.selectFrom('sso_states').select('state_hash as key').where('expires_at', '<=', now).limit(limit).execute(),
    remove: ({ db }, keys) => db.deleteFrom('sso_states').where('state_hash', 'in', keys).execute(),
  },
  {
    expired: ({ db }, { now, limit }) =>
      db.selectFrom('sso_sessions').select('session_id as key').where('expires_at', '<=', now).limit(limit).execute(),
    remove: ({ db }, keys) => db.deleteFrom('sso_sessions').where('session_id', 'in', keys).execute(),
  },
  {
    expired: ({ db }, { now, limit }) =>
      db.selectFrom('sso_seen').select('token_hash as key').where('expires_at', '<=', now).limit(limit).execute(),
    remove: ({ db }, keys) => db.deleteFrom('sso_seen').where('token_hash', 'in', keys).execute(),
  },
]
