/** Inserts users, roles and keys directly into the database, because hashing a password takes a second. */

import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'
import { makeKey } from '../../src/people/keys/keys.ts'
import { insert as insertKey } from '../../src/people/keys/store.ts'
import { normalizePermission } from '../../src/people/roles/catalogue.ts'
import { insert as insertRole } from '../../src/people/roles/store.ts'
import { insert as insertUser } from '../../src/people/users/store.ts'

/** The password of every user who was created without one. */
export const PASSWORD = 'correct horse battery'
/** bcrypt's minimum: the next login replaces such a hash by a real one. */
const QUICK_COST = 4
/** At the real cost. */
const SLOW_HASH = '$2b$14$EsybGQCrLKRb3iRXpaauiu7cd3zPaM3W/Yimp4GcQPuyZrO8OvbnO'
const PASSWORD_HASH = Bun.password.hashSync(PASSWORD, { algorithm: 'bcrypt', cost: QUICK_COST })

const CREATED = '2026-01-02T03:04:05.678Z'

export type TestUser = {
  readonly username: string
  /** Names or ids. */
  readonly roles?: readonly string[]
  readonly password?: string
  /** Uses PASSWORD at the real cost of bcrypt: its check takes a second. */
  readonly isSlow?: boolean
  readonly email?: string
  readonly isActive?: boolean
}

export const createUser = async (db: Db<Tables>, user: TestUser): Promise<{ id: string }> => {
  const id = Bun.randomUUIDv7()
  const role_ids = await Promise.all((user.roles ?? []).map((role) => roleId(db, role)))
  const isOwn = user.password !== undefined && user.password !== PASSWORD
  await db.write((tx) =>
    insertUser(tx, {
      id,
      username: user.username,
      email: user.email ?? '',
      full_name: '',
      password_hash: isOwn
        ? Bun.password.hashSync(user.password, { algorithm: 'bcrypt', cost: QUICK_COST })
        : user.isSlow
          ? SLOW_HASH
          : PASSWORD_HASH,
      is_active: user.isActive ?? true,
      created_at: CREATED,
      updated_at: CREATED,
      last_login_at: null,
      role_ids,
    }),
  )
  return { id }
}

const roleId = async (db: Db<Tables>, role: string): Promise<string> => {
  const found = await db.read
    .selectFrom('roles')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', role), eb('name', '=', role)]))
    .executeTakeFirst()
  if (!found) throw new Error(`No role is called "${role}"`)
  return found.id
}

export type TestRole = { readonly name: string; readonly permissions: readonly string[] }

/** @throws for a permission that is not in the catalog */
export const createRole = async (db: Db<Tables>, { name, permissions }: TestRole): Promise<{ id: string }> => {
  const id = Bun.randomUUIDv7()
  const canonical = permissions.map((permission) => {
    const known = normalizePermission(permission)
    if (!known) throw new Error(`No permission is called "${permission}"`)
    return known
  })
  const role = { id, name, description: '', is_system: 0, created_at: CREATED, updated_at: CREATED }
  await db.write((tx) => insertRole(tx, { ...role, permissions: canonical }))
  return { id }
}

export type TestKey = { readonly expiresAt?: string; readonly name?: string }

/** Stores an API key of the user, named by its id unless a name is given. @returns the key in plain text; without a user, one that has no owner */
export const keyFor = async (
  db: Db<Tables>,
  userId: string | null,
  { expiresAt, name }: TestKey = {},
): Promise<string> => {
  const { key, key_hash, prefix } = makeKey()
  const id = Bun.randomUUIDv7()
  const stored = {
    id,
    user_id: userId,
    name: name ?? id,
    created_at: CREATED,
    expires_at: expiresAt ?? null,
    created_by: null,
    feed_id: null,
    scope_id: null,
  }
  await db.write((tx) => insertKey(tx, { ...stored, key_hash, prefix }))
  return key
}
