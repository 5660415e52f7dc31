/** `plat user reset-password` works on the database directly, for an administrator of the host without a password. */

import { checkPassword } from '../../base/security/password-rule.ts'
import type { Passwords } from '../../base/security/passwords.ts'
import { AppError, invalidField } from '../../contract/errors.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { HostTrail } from '../../kernel/changes/audit.ts'
import { generatePassword } from './random-password.ts'
import * as store from './store.ts'

type ResetOptions = {
  readonly db: Db<Tables>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly username: string
  /** Generated if absent. */
  readonly password?: string
  readonly now: () => Date
  /** Deletes the API keys that another user has made for these users, and returns them. */
  readonly endKeys: (tx: Tx<Tables>, userIds: readonly string[]) => Promise<readonly { readonly id: string }[]>
  /** No audit entry is written if it is absent. */
  readonly trail?: HostTrail<Tx<Tables>>
}

/** `password` is set only if it was generated. */
export type ResetPassword = { readonly username: string; readonly password?: string }

/** Ends all sessions and tokens as well. @throws AppError NOT_FOUND, VALIDATION_ERROR */
export const resetPassword = async ({ db, passwords, ...options }: ResetOptions): Promise<ResetPassword> => {
  const problem = options.password === undefined ? undefined : checkPassword(options.password)
  if (problem) throw invalidField('password', problem)
  const user = await store.findByName({ db: db.read }, options.username)
  if (!user) throw new AppError('NOT_FOUND', `No user is called "${options.username}"`)
  const password = options.password ?? generatePassword()
  const hash = await passwords.hash(password)
  await db.write(async (tx) => {
    await store.setPassword(tx, user.id, hash, options.now().toISOString())
    // The row of the user is locked, so no such key can be added concurrently.
    const ended = await options.endKeys(tx, [user.id])
    await options.trail?.record(tx, {
      action: 'update',
      resource: 'user',
      resourceId: user.id,
      changes: { command: 'plat user reset-password', api_key_ids: ended.map(({ id }) => id) },
    })
  })
  return options.password === undefined ? { username: user.username, password } : { username: user.username }
}
