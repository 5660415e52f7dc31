/** `plat user evict`: on the host, ends every credential of an account, with or without a running server. */

import { isBusy } from '../../base/disk/disk-errors.ts'
import { AppError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { HostTrail } from '../../kernel/changes/audit.ts'
import type { SessionsOptions } from '../sessions/sessions.ts'
import { type Account, findAccountByName } from '../users/account.ts'
import { endCredentials } from './end-credentials.ts'

type SessionStore = SessionsOptions['sessions']

type EvictOptions = {
  readonly db: Db<Tables>
  readonly sessions: SessionStore
  readonly trail: HostTrail<Tx<Tables>>
  readonly username: string
  readonly now: () => Date
}

export type Evicted = {
  readonly username: string
  /** Undefined if the session store was unavailable: the sessions ended all the same, but could not be counted. */
  readonly sessions: number | undefined
  readonly keys: readonly { readonly name: string; readonly prefix: string }[]
  /** Names of OAuth clients that acted for the account. */
  readonly clients: readonly string[]
}

/** Returns the ids of the account's open sessions; undefined while an external session store is unavailable. */
const openSessions = async ({ sessions, now }: EvictOptions, user: Account): Promise<string[] | undefined> => {
  try {
    const at = now()
    const isOpen = (one: Awaited<ReturnType<SessionStore['list']>>[number]) =>
      one.userGeneration === user.generation && one.expiresAt > at
    return (await sessions.list(user.id)).filter(isOpen).map(({ id }) => id)
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') return undefined
    throw error
  }
}

/** The account's new generation has already invalidated them, so this only cleans up the store. A server that writes is not waited for. */
const removeLeftovers = async ({ sessions }: EvictOptions, ids: readonly string[]): Promise<void> => {
  try {
    for (const id of ids) await sessions.remove(id)
  } catch (error) {
    if (!isBusy(error) && !(error instanceof AppError && error.code === 'UNAVAILABLE')) throw error
  }
}

/**
 * Ends all sessions, API keys, OAuth grants and codes of an account, in one transaction. The account and its password
 * stay. A running server rejects these credentials at once on PostgreSQL, and within a second on SQLite.
 * @throws AppError NOT_FOUND for an unknown user.
 */
export const evict = async (options: EvictOptions): Promise<Evicted> => {
  const { db, sessions, trail, username } = options
  const user = await findAccountByName({ db: db.read }, username)
  if (!user) throw new AppError('NOT_FOUND', `No user is called "${username}"`)
  // Before the transaction, which may contain only SQL. The new generation also invalidates later sessions.
  const open = await openSessions(options, user)
  const ended = await db.write(async (tx) => {
    const { grants, keys } = await endCredentials(tx, user.id)
    if (sessions.isInDatabase) for (const id of open ?? []) await sessions.remove(id, tx.db)
    await trail.record(tx, {
      action: 'update',
      resource: 'user',
      resourceId: user.id,
      changes: {
        command: 'plat user evict',
        session_count: open?.length ?? null,
        api_key_ids: keys.map(({ id }) => id),
        oauth_grant_ids: grants.map(({ id }) => id),
      },
    })
    return { keys, clients: grants.map(({ client_name }) => client_name) }
  })
  if (!sessions.isInDatabase) await removeLeftovers(options, open ?? [])
  const keys = ended.keys.map(({ name, prefix }) => ({ name, prefix }))
  return { username: user.username, sessions: open?.length, keys, clients: ended.clients }
}
