/** `plat user reset-password`: works on the database itself, for whoever holds the host but no password. */

import { AppError, invalidField } from '../../platform/contract/errors.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { HostTrail } from '../../platform/operation/audit.ts'
import { passwordProblem } from '../../platform/security/password-rule.ts'
import type { Passwords } from '../../platform/security/passwords.ts'
import type { Tables } from '../tables.ts'
import { randomPassword } from './random-password.ts'
import * as store from './store.ts'

type ResetOptions = {
  readonly db: Db<Tables>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly username: string
  /** Made up when left out. */
  readonly password?: string
  readonly now: () => Date
  /** Deletes the API keys that somebody else has made for these users, and answers which those were. */
  readonly endKeys: (tx: Tx<Tables>, userIds: readonly string[]) => Promise<readonly { readonly id: string }[]>
  /** Nothing is put on record without it. */
  readonly trail?: HostTrail<Tx<Tables>>
}

/** `password` is there only if it was made up. */
export type ResetPassword = { readonly username: string; readonly password?: string }

/**
 * Sets a user's password and ends all sessions and tokens of the user. A server that runs meanwhile notices within a second.
 * @throws AppError NOT_FOUND for an unknown user, VALIDATION_ERROR for a password that may not be used.
 */
export const resetPassword = async ({ db, passwords, ...options }: ResetOptions): Promise<ResetPassword> => {
  const problem = options.password === undefined ? undefined : passwordProblem(options.password)
  if (problem) throw invalidField('password', problem)
  const user = await store.findByName({ db: db.read }, options.username)
  if (!user) throw new AppError('NOT_FOUND', `No user is called "${options.username}"`)
  const password = options.password ?? randomPassword()
  const hash = await passwords.hash(password)
  await db.write(async (tx) => {
    await store.setPassword(tx, user.id, hash, options.now().toISOString())
    // After the row of the user is locked: no such key can come in between.
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
