/**
 * Decides what a logout token ends (Back-Channel Logout 1.0 section 2.5): the sessions of `sid`, or without it all sessions of the user with
 * `sub`. OAuth grants and API keys go on: they sleep when no sign-in comes, as docs/sign-in.md says.
 */
import type { Ctx } from '../../kernel/ctx.ts'
import { lockAccount } from '../users/account.ts'
import * as flow from './flow/flow-store.ts'
import * as identities from './identity-store.ts'
import type { SessionEnding } from './sessions.ts'

type Session = Awaited<ReturnType<SessionEnding['sessions']['list']>>[number]

/** The claims of a logout token. */
export type LogoutScope = { readonly providerId: string; readonly sid?: string; readonly subject?: string }

type Ending = {
  readonly subject: string
  readonly userId: string
  /** True if no session by the provider is left, so that its last sign-in no longer counts. */
  readonly isEverywhere: boolean
}

/** Returns the users of a logout: one, except for a `sid` that several subjects have. */
const findEndings = async (ctx: Ctx, scope: LogoutScope): Promise<Ending[]> => {
  const { providerId, sid, subject } = scope
  const subjects = subject === undefined ? await flow.findSubjects(ctx, scope) : [subject]
  const ended = new Set(await flow.findSessionIds(ctx, scope))
  const endings: Ending[] = []
  for (const one of subjects) {
    const identity = await identities.findIdentity(ctx, { provider_id: providerId, subject: one })
    if (!identity) continue
    const sessions = await flow.findSessionIds(ctx, { providerId, subject: one })
    const isEverywhere = sid === undefined || sessions.every((id) => ended.has(id))
    endings.push({ subject: one, userId: identity.user_id, isEverywhere })
  }
  return endings
}

/** Returns true for the sessions that end beside the sessions of the provider. */
const isEndedBy =
  ({ isEverywhere }: Ending, { sid }: LogoutScope) =>
  ({ method }: Session): boolean =>
    isEverywhere && (sid === undefined || method === 'passkey')

const findSessionIds = async (
  ctx: Ctx,
  { sessions }: SessionEnding,
  scope: LogoutScope,
): Promise<ReadonlySet<string>> => {
  const ids = new Set(await flow.findSessionIds(ctx, scope))
  for (const ending of await findEndings(ctx, scope)) {
    if (!ending.isEverywhere) continue
    const own = await sessions.list(ending.userId, sessions.isInDatabase ? ctx.db : undefined)
    for (const { id } of own.filter(isEndedBy(ending, scope))) ids.add(id)
  }
  return ids
}

/**
 * Ends sessions for a logout token. Sessions outside of the database end at once, because a transaction contains only SQL.
 * @returns the rest, for a transaction
 */
export const endForLogout = async (
  ctx: Ctx,
  options: SessionEnding,
  scope: LogoutScope,
): Promise<(tx: Ctx) => Promise<void>> => {
  const { sessions } = options
  const outside = sessions.isInDatabase ? new Set<string>() : await findSessionIds(ctx, options, scope)
  for (const id of outside) await sessions.remove(id)
  return async (tx) => {
    const endings = await findEndings(tx, scope)
    for (const { userId } of endings) await lockAccount(tx, userId)
    for (const id of sessions.isInDatabase ? await findSessionIds(tx, options, scope) : outside) {
      if (sessions.isInDatabase) await sessions.remove(id, tx.db)
      await tx.emit('session.ended', { id })
    }
    for (const { subject, isEverywhere } of endings)
      if (isEverywhere) await identities.recordLogout(tx, { provider_id: scope.providerId, subject }, tx.now)
  }
}
