/** Users who sign in by password while PASSWORD_SIGN_IN is `break-glass`. */

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { AppError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { HostTrail } from '../../kernel/changes/audit.ts'
import { NO_PASSWORD } from './account.ts'
import * as store from './store.ts'

type BreakGlassOptions = {
  readonly db: Db<Tables>
  readonly username: string
  readonly isOn: boolean
  readonly now: () => Date
  readonly trail: HostTrail<Tx<Tables>>
}

export type BreakGlass = {
  readonly username: string
  readonly isOn: boolean
  readonly isActive: boolean
  readonly hasPassword: boolean
}

/** `plat user break-glass` works on the database directly. @throws AppError NOT_FOUND */
export const setBreakGlass = async ({ db, username, isOn, now, trail }: BreakGlassOptions): Promise<BreakGlass> => {
  const user = await store.findByName({ db: db.read }, username)
  if (!user) throw new AppError('NOT_FOUND', `No user is called "${username}"`)
  await db.write(async (tx) => {
    await store.update(tx, user.id, { is_break_glass: Number(isOn), updated_at: now().toISOString() })
    await trail.record(tx, {
      action: 'update',
      resource: 'user',
      resourceId: user.id,
      changes: { command: 'plat user break-glass', is_break_glass: isOn },
    })
  })
  const { is_active, password_hash } = user
  return { username: user.username, isOn, isActive: is_active === 1, hasPassword: password_hash !== NO_PASSWORD }
}

/** Warns if passwords are off and no user could sign in by one. */
export const warnWithoutBreakGlass = async (
  db: Db<Tables>,
  { config, log }: { readonly config: Pick<Config, 'passwordSignIn'>; readonly log: Pick<Logger, 'warn'> },
): Promise<void> => {
  if (config.passwordSignIn === 'all' || (await store.hasBreakGlass({ db: db.read }))) return
  log.warn(
    'PASSWORD_SIGN_IN is break-glass, and no active user is marked so: without an identity provider no user can sign in. ' +
      'Run `plat user break-glass USERNAME` on this host',
  )
}
