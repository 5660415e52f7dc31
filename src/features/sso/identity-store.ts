/** The queries of identities; the only writer of their table. */
import type { Ctx, DbScope } from '../ctx.ts'
import type { IdentityRow } from './table.ts'

export const find = ({ db }: DbScope, { provider_id, subject }: Pick<IdentityRow, 'provider_id' | 'subject'>) =>
  db
    .selectFrom('identities')
    .selectAll()
    .where('provider_id', '=', provider_id)
    .where('subject', '=', subject)
    .executeTakeFirst()

/** Returns true if a user has signed in by the provider. */
export const hasAny = async ({ db }: DbScope, providerId: string): Promise<boolean> =>
  (await db.selectFrom('identities').select('id').where('provider_id', '=', providerId).limit(1).executeTakeFirst()) !==
  undefined

/** The identities of a user with the names of their providers. */
export const query = ({ db }: DbScope, userId: string) =>
  db
    .selectFrom('identities')
    .innerJoin('sso_providers', 'sso_providers.id', 'identities.provider_id')
    .select(['identities.id', 'identities.provider_id', 'sso_providers.name as provider', 'identities.subject'])
    .select(['identities.created_at', 'identities.last_login_at'])
    .where('identities.user_id', '=', userId)
    .orderBy('sso_providers.name_key')
    .orderBy('identities.id')

/** Locks the identity of this id, until commit. */
export const lock = (ctx: Ctx, id: string): Promise<IdentityRow | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('identities').selectAll().where('id', '=', id)).executeTakeFirst()

export const insert = async ({ db }: DbScope, row: IdentityRow): Promise<void> => {
  await db.insertInto('identities').values(row).execute()
}

export const recordLogin = async ({ db }: DbScope, id: string, now: string): Promise<void> => {
  await db.updateTable('identities').set({ last_login_at: now, logged_out_at: null }).where('id', '=', id).execute()
}

/** Records that the provider has signed the user out everywhere. @returns the user; undefined for an unknown identity */
export const recordLogout = async (
  { db }: DbScope,
  { provider_id, subject }: Pick<IdentityRow, 'provider_id' | 'subject'>,
  now: string,
): Promise<string | undefined> => {
  const row = await db
    .updateTable('identities')
    .set({ logged_out_at: now })
    .where('provider_id', '=', provider_id)
    .where('subject', '=', subject)
    .returning('user_id')
    .executeTakeFirst()
  return row?.user_id
}

export const remove = async ({ db }: DbScope, id: string): Promise<void> => {
  await db.deleteFrom('identities').where('id', '=', id).execute()
}
