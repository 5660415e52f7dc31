/** The first start: an installation without users gets one admin who can sign in. */

import { type Config, ConfigError } from '../../base/config/config.ts'
import type { Passwords } from '../../base/security/passwords.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { ADMIN_ROLE_ID } from '../roles/catalogue.ts'
import { generatePassword } from './random-password.ts'
import * as store from './store.ts'
import { Username } from './username.ts'

type FirstAdminOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<
    Config,
    'passwordSignIn' | 'initialAdminUsername' | 'initialAdminPassword' | 'initialAdminEmail' | 'initialAdminFullName'
  >
  readonly passwords: Pick<Passwords, 'hash'>
  readonly now: () => Date
}

/** `password` is set only if Plat generated it: it is shown once. */
export type FirstAdmin = { readonly username: string; readonly password?: string }

/** Creates the first admin if no user exists. Safe for concurrent starts. @throws ConfigError for a bad name */
export const ensureFirstAdmin = async (options: FirstAdminOptions): Promise<FirstAdmin | undefined> => {
  const { db, config, passwords, now } = options
  if (await store.hasAny({ db: db.read })) return undefined
  const name = Username.safeParse(config.initialAdminUsername ?? 'admin')
  if (!name.success)
    throw new ConfigError([`INITIAL_ADMIN_USERNAME: is not a valid username: ${name.error.issues[0]?.message ?? ''}`])
  const username = name.data
  const password = config.initialAdminPassword ?? generatePassword()
  const password_hash = await passwords.hash(password)
  const created = now().toISOString()
  const isMade = await db.write(async (tx) => {
    // The lock is on a name, not on a table.
    await db.sql.lockNames(tx.db, ['first-admin'])
    if (await store.hasAny(tx)) return false // another process was faster
    await store.insert(tx, {
      id: Bun.randomUUIDv7(),
      username,
      email: config.initialAdminEmail,
      full_name: config.initialAdminFullName,
      password_hash,
      is_active: true,
      // Otherwise no user could sign in to add an identity provider.
      is_break_glass: config.passwordSignIn === 'break-glass',
      created_at: created,
      updated_at: created,
      last_login_at: null,
      role_ids: [ADMIN_ROLE_ID],
    })
    return true
  })
  if (!isMade) return undefined
  return config.initialAdminPassword === undefined ? { username, password } : { username }
}
