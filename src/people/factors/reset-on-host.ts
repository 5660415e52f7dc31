/** `plat user reset-2fa` works on the database directly, for an administrator of the host. */
import { AppError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { HostTrail } from '../../kernel/changes/audit.ts'
import { findAccountByName } from '../users/account.ts'
import { resetFactors } from './factors.ts'

type ResetOptions = {
  readonly db: Db<Tables>
  readonly username: string
  readonly trail: HostTrail<Tx<Tables>>
}

/** Ends all sessions and OAuth tokens as well. @throws AppError NOT_FOUND */
export const resetFactorsOnHost = async ({ db, username, trail }: ResetOptions): Promise<{ username: string }> => {
  const user = await findAccountByName({ db: db.read }, username)
  if (!user) throw new AppError('NOT_FOUND', `No user is called "${username}"`)
  await db.write(async (tx) => {
    await resetFactors(tx, user.id)
    await trail.record(tx, {
      action: 'delete',
      resource: 'factor',
      resourceId: user.id,
      changes: { command: 'plat user reset-2fa' },
    })
  })
  return { username: user.username }
}
