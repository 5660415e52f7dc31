/** The queries of users; the only writer of their tables. */

import type { ExpressionBuilder } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { toNameOrder } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import * as grants from './grant-store.ts'
import { CONFUSABLES_VERSION, computeLooks } from './skeleton.ts'
import type { UserRow } from './table.ts'

/** Returns the form in which usernames and e-mail addresses are compared: case-insensitive, in normal form NFC. */
export const normalizeName = (text: string): string => text.trim().normalize('NFC').toLowerCase()

/** The prefix of stored skeletons: the version of the table that computed them. */
const LOOKS_FROM = `${CONFUSABLES_VERSION} `
/** Sorts after all skeletons of this version. */
const LOOKS_UNTIL = `${CONFUSABLES_VERSION}!`
const buildStoredLooks = (username: string): Readonly<Record<Look, string>> => {
  const [written, lower, upper] = computeLooks(username).map((look) => LOOKS_FROM + look)
  return { username_look: written ?? '', username_look_lower: lower ?? '', username_look_upper: upper ?? '' }
}
/** Returns the columns that follow from a username. */
const buildUsernameKeys = (username: string) => {
  const username_key = normalizeName(username)
  return { username_key, username_order: toNameOrder(username_key), ...buildStoredLooks(username) }
}
const LOOKS = ['username_look', 'username_look_lower', 'username_look_upper'] as const
type Look = (typeof LOOKS)[number]

export type NewUser = Omit<
  UserRow,
  'username_key' | 'username_order' | Look | 'email_key' | 'is_active' | 'is_break_glass' | 'generation'
> & {
  readonly is_active: boolean
  readonly is_break_glass?: boolean
  readonly role_ids: readonly string[]
}

const COUNTED = ['sessions', 'passkeys', 'totp'] as const

/** Returns users without their secrets, with the numbers of their sessions and ways to sign in, which are deleted with them. */
const findRecorded = async ({ db }: DbScope, ids: readonly string[]) => {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'full_name', 'is_active', 'is_break_glass', 'generation'])
    .select(['created_at', 'updated_at', 'last_login_at'])
    .select((eb) =>
      COUNTED.map((table) =>
        eb
          .selectFrom(table)
          .select((of) => of.fn.countAll<number | string>().as('n'))
          .whereRef(`${table}.user_id`, '=', 'users.id')
          .as(table),
      ),
    )
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ is_active, is_break_glass, sessions, passkeys, totp, ...user }) => ({
    ...user,
    ...{ is_active: is_active === 1, is_break_glass: is_break_glass === 1 },
    ...{ sessions: Number(sessions), passkeys: Number(passkeys), authenticator_apps: Number(totp) },
  }))
}

const recorder = createRecorder({ kind: 'user', table: 'users', find: findRecorded })

export const insert = async (
  scope: RecordScope,
  { role_ids, is_active, is_break_glass = false, ...user }: NewUser,
): Promise<void> => {
  const { username } = user
  const names = buildUsernameKeys(username)
  const keys = { ...names, email_key: normalizeName(user.email) || null }
  const flags = { is_active: Number(is_active), is_break_glass: Number(is_break_glass) }
  await recorder.write(scope, [user.id], async () => {
    await scope.db
      .insertInto('users')
      .values({ ...user, ...keys, ...flags, generation: 0 })
      .execute()
  })
  await grants.replaceRoles(scope, { id: user.id, now: user.created_at }, role_ids)
}

export const hasAny = async ({ db }: DbScope): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

/** Returns true if any user has ever signed in. */
export const hasSignedIn = async ({ db }: DbScope): Promise<boolean> =>
  (await db.selectFrom('users').select('id').where('last_login_at', 'is not', null).limit(1).executeTakeFirst()) !==
  undefined

export const find = ({ db }: DbScope, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/** Finds a user by the stored name in any case. Without a match, it also normalizes the typed name like a new one. */
export const findByName = async ({ db }: DbScope, username: string): Promise<UserRow | undefined> => {
  // PostgreSQL rejects such text with an error.
  if (!username.isWellFormed() || username.includes('\u0000')) return undefined
  const byKey = (key: string) => db.selectFrom('users').selectAll().where('username_key', '=', key).executeTakeFirst()
  const typed = normalizeName(username)
  const normalized = normalizeName(username.normalize('NFKC'))
  return (await byKey(typed)) ?? (normalized === typed ? undefined : byKey(normalized))
}

/** Returns true if an active user may sign in by password in any case. */
export const hasBreakGlass = async ({ db }: DbScope): Promise<boolean> =>
  (await db
    .selectFrom('users')
    .select('id')
    .where('is_break_glass', '=', 1)
    .where('is_active', '=', 1)
    .where('password_hash', '<>', '')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Finds the user with an e-mail address, in any case. */
export const findByEmail = ({ db }: DbScope, email: string): Promise<Pick<UserRow, 'id'> | undefined> =>
  db
    .selectFrom('users')
    .select('id')
    // A null address equals no other.
    .where('email_key', '=', normalizeName(email) || null)
    .executeTakeFirst()

/** Returns the users with an e-mail address, in the form in which addresses are compared. */
export const findWithAddress = ({ db }: DbScope): Promise<{ id: string; email_key: string }[]> =>
  db
    .selectFrom('users')
    .select(['id', 'email_key'])
    .where('email_key', 'is not', null)
    .$narrowType<{ email_key: string }>()
    .execute()

/** Finds like `find`, and locks the row until commit. */
export const lock = (ctx: StoreScope, id: string): Promise<UserRow | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('users').selectAll().where('id', '=', id)).executeTakeFirst()

type WithRoles = Pick<UserRow, 'id' | 'username' | 'is_active' | 'generation' | 'password_hash'> & {
  readonly held: readonly grants.HeldRole[]
}

/** Returns the account fields of the existing users of the ids, with the roles that they hold. */
export const withRoles = async ({ db }: DbScope, ids: readonly string[]): Promise<WithRoles[]> => {
  const found: WithRoles[] = []
  for (const some of splitBatches(ids)) {
    const users = await db
      .selectFrom('users')
      .select(['id', 'username', 'is_active', 'generation', 'password_hash'])
      .where('id', 'in', some)
      .execute()
    const held = await grants.findHeldByUser({ db }, some)
    for (const user of users) found.push({ ...user, held: held.get(user.id) ?? [] })
  }
  return found
}

/** All users, by name. */
export const query = ({ db }: DbScope) => db.selectFrom('users').selectAll().orderBy('username_order').orderBy('id')

/** Returns other users with the name or the e-mail address. */
export const findNamesakes = (
  { db }: DbScope,
  { id, username, email }: Pick<UserRow, 'id' | 'username' | 'email'>,
): Promise<Pick<UserRow, 'username_key' | 'email_key'>[]> =>
  db
    .selectFrom('users')
    .select(['username_key', 'email_key'])
    .where('id', '<>', id)
    .where((eb) =>
      eb.or([
        eb('username_key', '=', normalizeName(username)),
        // A null address equals no other.
        eb('email_key', '=', normalizeName(email) || null),
      ]),
    )
    .execute()

/** Another user's name that looks like this one. Names without a current skeleton are compared one by one. */
export const findLookAlike = async (
  { db }: DbScope,
  { id, username }: Pick<UserRow, 'id' | 'username'>,
): Promise<string | undefined> => {
  const looks = Object.values(buildStoredLooks(username))
  const others = db.selectFrom('users').select('username').where('id', '<>', id)
  const alike = await others
    .where((eb) => eb.or(LOOKS.map((look) => eb(look, 'in', looks))))
    .limit(1)
    .executeTakeFirst()
  if (alike) return alike.username
  const unsettled = await others.where((eb) => isUnsettled(eb)).execute()
  return unsettled.find((other) => Object.values(buildStoredLooks(other.username)).some((look) => looks.includes(look)))
    ?.username
}

const isUnsettled = (eb: ExpressionBuilder<Tables, 'users'>) =>
  eb.or([
    eb('username_look_upper', 'is', null),
    eb('username_look_upper', '<', LOOKS_FROM),
    eb('username_look_upper', '>=', LOOKS_UNTIL),
  ])

type Unsettled = Pick<UserRow, 'id' | 'username'>

/** Returns users with skeletons that are missing or of another version of the table. */
export const findUnsettledLooks = ({ db }: DbScope, limit: number): Promise<Unsettled[]> =>
  db
    .selectFrom('users')
    .select(['id', 'username'])
    .where((eb) => isUnsettled(eb))
    .limit(limit)
    .execute()

/** Stores the skeletons of the name, unless it has changed. */
export const updateLook = async ({ db }: DbScope, { id, username }: Unsettled): Promise<void> => {
  await db
    .updateTable('users')
    .set({ ...buildStoredLooks(username) })
    .where('id', '=', id)
    .where('username', '=', username)
    .execute()
}

/** Locks all usernames until commit: no other transaction takes or changes one. */
export const lockNames = (ctx: Ctx): Promise<void> => ctx.lock('usernames')

/** Sets the time of the last change of all to whom the role is granted. */
export const touchGrantees = async (ctx: Ctx, roleId: string): Promise<void> => {
  const { db, now } = ctx
  const grantees = db
    .selectFrom('grants')
    .select('user_id as id')
    .where('role_id', '=', roleId)
    .where('user_id', 'is not', null)
    .$narrowType<{ id: string }>()
  await recorder.writeWhere(
    ctx,
    () => grantees.execute(),
    () => db.updateTable('users').set({ updated_at: now }).where('id', 'in', grantees).returning('id').execute(),
  )
}

/** Foreign keys delete the sessions and the ways to sign in. The features delete the other objects of the user before. */
export const remove = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('users').where('id', '=', id).execute()
  })

type Change = Partial<
  Omit<UserRow, 'id' | 'username_key' | 'username_order' | Look | 'email_key' | 'generation' | 'created_at'>
>

const buildKeys = ({ username, email }: Change) => ({
  ...(username !== undefined && buildUsernameKeys(username)),
  ...(email !== undefined && { email_key: normalizeName(email) || null }),
})

export const update = (scope: RecordScope, id: string, change: Change): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db
      .updateTable('users')
      .set({ ...change, ...buildKeys(change) })
      .where('id', '=', id)
      .execute()
  })

/** Invalidates every session and token of the user. */
export const endSignIns = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db
      .updateTable('users')
      .set((eb) => ({ generation: eb('generation', '+', 1) }))
      .where('id', '=', id)
      .execute()
  })

/** Sets the password and invalidates every session and token of the user. */
export const setPassword = (scope: RecordScope, id: string, password_hash: string, now: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db
      .updateTable('users')
      .set((eb) => ({ password_hash, generation: eb('generation', '+', 1), updated_at: now }))
      .where('id', '=', id)
      .execute()
  })
