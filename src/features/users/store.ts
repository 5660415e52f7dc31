/** The queries of users; the only writer of their tables. */
import type { Ctx } from '../ctx.ts'
import type { UserRow } from './table.ts'

/** A transaction, a context, or the last committed state. */
export type Scope = Pick<Ctx, 'db'>

/** How usernames and addresses are compared: in any case, with letters that look the same being the same. */
export const foldedName = (text: string): string => text.trim().normalize('NFC').toLowerCase()

export type NewUser = Omit<UserRow, 'username_key' | 'email_key' | 'is_active' | 'generation'> & {
  readonly is_active: boolean
  readonly role_ids: readonly string[]
}

export const insert = async ({ db }: Scope, { role_ids, is_active, ...user }: NewUser): Promise<void> => {
  const keys = { username_key: foldedName(user.username), email_key: foldedName(user.email) || null }
  await db
    .insertInto('users')
    .values({ ...user, ...keys, is_active: is_active ? 1 : 0, generation: 0 })
    .execute()
  if (role_ids.length === 0) return
  await db
    .insertInto('user_roles')
    .values(role_ids.map((role_id) => ({ user_id: user.id, role_id })))
    .execute()
}

export const hasAny = async ({ db }: Scope): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

export const find = ({ db }: Scope, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

export const findByName = async ({ db }: Scope, username: string): Promise<UserRow | undefined> => {
  // PostgreSQL refuses such text altogether.
  if (!username.isWellFormed() || username.includes('\u0000')) return undefined
  return db.selectFrom('users').selectAll().where('username_key', '=', foldedName(username)).executeTakeFirst()
}

/** As `find`, and keeps other writers off the row until commit. */
export const lock = (ctx: Pick<Ctx, 'db' | 'store'>, id: string): Promise<UserRow | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('users').selectAll().where('id', '=', id)).executeTakeFirst()

export const rolesOf = ({ db }: Scope, id: string): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select(['roles.id', 'roles.name'])
    .where('user_roles.user_id', '=', id)
    .orderBy('roles.name_key')
    .execute()

type Change = Partial<Pick<UserRow, 'password_hash' | 'last_login_at' | 'updated_at'>>

export const update = async ({ db }: Scope, id: string, change: Change): Promise<void> => {
  await db.updateTable('users').set(change).where('id', '=', id).execute()
}

/** Sets the password and makes every session and token of the user void. */
export const setPassword = async ({ db }: Scope, id: string, password_hash: string, now: string): Promise<void> => {
  await db
    .updateTable('users')
    .set((eb) => ({ password_hash, generation: eb('generation', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .execute()
}
