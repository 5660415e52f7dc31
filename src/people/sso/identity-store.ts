/** The queries of identities; the only writer of their table. */
import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { IdentityRow } from './table.ts'

export const findIdentity = ({ db }: DbScope, { provider_id, subject }: Pick<IdentityRow, 'provider_id' | 'subject'>) =>
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

/** Returns the ids of the users with an identity at the provider. */
export const findUserIds = async ({ db }: DbScope, providerId: string): Promise<string[]> => {
  const query = db.selectFrom('identities').select('user_id').distinct().where('provider_id', '=', providerId)
  return (await query.execute()).map(({ user_id }) => user_id)
}

/** Returns the identities of a user with the names of their providers. */
export const selectIdentities = ({ db }: DbScope, userId: string) =>
  db
    .selectFrom('identities')
    .innerJoin('sso_providers', 'sso_providers.id', 'identities.provider_id')
    .select(['identities.id', 'identities.provider_id', 'sso_providers.name as provider', 'identities.subject'])
    .select(['identities.created_at', 'identities.last_login_at'])
    .where('identities.user_id', '=', userId)
    .orderBy('sso_providers.name_order')
    .orderBy('identities.id')

/** Identities that have found an older user by the address. One of before that was stored counts if its provider links by address. */
const selectByAddress = ({ db }: DbScope) =>
  db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .innerJoin('sso_providers', 'sso_providers.id', 'identities.provider_id')
    .whereRef('users.created_at', '<', 'identities.created_at')
    .where((eb) =>
      eb.or([
        eb('identities.linked_by_email', '=', 1),
        eb.and([eb('identities.linked_by_email', 'is', null), eb('sso_providers.link_by_email', '=', 1)]),
      ]),
    )

/** Returns the newest of the links by address. */
export const findLinksByAddress = (scope: DbScope, limit: number) =>
  selectByAddress(scope)
    .select(['identities.user_id', 'identities.created_at', 'users.username', 'users.generation'])
    .select('sso_providers.name as provider')
    .orderBy('identities.created_at', 'desc')
    .orderBy('identities.id')
    .limit(limit)
    .execute()

/** Returns valid keys that are older than the link of their owner by address, and have the value of then. */
export const findKeysBeforeLinks = (scope: Pick<Ctx, 'db' | 'now'>, limit: number) =>
  selectByAddress(scope)
    .innerJoin('api_keys', 'api_keys.user_id', 'users.id')
    .select(['api_keys.id', 'api_keys.name', 'users.username', 'sso_providers.name as provider'])
    .whereRef('api_keys.created_at', '<', 'identities.created_at')
    .where((eb) =>
      eb.or([eb('api_keys.rotated_at', 'is', null), eb('api_keys.rotated_at', '<', eb.ref('identities.created_at'))]),
    )
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', scope.now)]))
    .orderBy('api_keys.name_order')
    .orderBy('api_keys.id')
    .limit(limit)
    .execute()

/** Locks the identity of this id, until commit. */
export const lockIdentity = (ctx: Ctx, id: string): Promise<IdentityRow | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('identities').selectAll().where('id', '=', id)).executeTakeFirst()

const recorder = createRecorder({
  ...{ kind: 'identity', table: 'identities' },
  find: ({ db }, ids) => db.selectFrom('identities').selectAll().where('id', 'in', ids).execute(),
})

export const insertIdentity = (scope: RecordScope, row: IdentityRow): Promise<void> =>
  recorder.write(scope, [row.id], async () => {
    await scope.db.insertInto('identities').values(row).execute()
  })

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

export const deleteIdentity = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('identities').where('id', '=', id).execute()
  })

/** Deletes the identities of a user, or of a provider. */
export const removeIdentities = async (
  scope: RecordScope,
  owner: Pick<IdentityRow, 'user_id'> | Pick<IdentityRow, 'provider_id'>,
): Promise<void> => {
  const { db } = scope
  const isGone = (eb: ExpressionBuilder<Tables, 'identities'>) => eb.and(owner)
  await recorder.writeWhere(
    scope,
    () => db.selectFrom('identities').select('id').where(isGone).execute(),
    () => db.deleteFrom('identities').where(isGone).returning('id').execute(),
  )
}
