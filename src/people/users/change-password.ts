/** Password changes over the API: one's own with the current password, others' by their permissions. */

import type { Passwords } from '../../base/security/passwords.ts'
import { AppError, invalidField, notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createKnownTurn, NO_PASSWORD, requireCharge, unlessBusy } from './account.ts'
import type { PasswordChange, PasswordReset } from './api.ts'
import { requireProvidersCovered } from './provider-users.ts'
import * as store from './store.ts'
import type { UserRow } from './table.ts'

/** The part of the work that runs in a transaction. Hashing takes a second, so it happens before. */
type Rest = (tx: Ctx) => Promise<void>

/** Ends all sessions and tokens of the user, and the API keys that another user has made; the user's own stay valid. */
const setPassword = async (tx: Ctx, { id }: UserRow, hash: string): Promise<void> => {
  await store.setPassword(tx, id, hash, tx.now)
  await tx.emit('user.password-changed', { id })
}

/** Returns the caller's own account, by id or name. @throws AppError NOT_FOUND, FORBIDDEN for another account. */
const getOwnAccountOrThrow = async (ctx: Ctx, idOrName: string): Promise<UserRow> => {
  const own = ctx.caller.userId === undefined ? undefined : await store.find(ctx, ctx.caller.userId)
  if (own && (own.id === idOrName || own.username_key === store.normalizeName(idOrName))) return own
  if (!(await store.find(ctx, idOrName))) throw notFound('user', idOrName)
  throw new AppError('FORBIDDEN', 'Only the user can do this; reset-password gives someone else a new password')
}

type Shown = { readonly field: 'current_password' | 'old_password'; readonly password: string }

const getShownPassword = ({ current_password, old_password }: PasswordChange): Shown => {
  if (current_password !== undefined) return { field: 'current_password', password: current_password }
  if (old_password !== undefined) return { field: 'old_password', password: old_password }
  throw invalidField('current_password', 'is required')
}

export const changePassword = async (ctx: Ctx, passwords: Passwords, input: PasswordChange): Promise<Rest> => {
  const shown = getShownPassword(input)
  const own = await getOwnAccountOrThrow(ctx, input.id)
  const wrong = () => invalidField(shown.field, 'is not your password')
  // Both hashes share one place in the queue, and one maximum wait.
  const turn = createKnownTurn(ctx)
  // The check takes the same time and fails if there is no stored hash.
  const stored = own.password_hash === NO_PASSWORD ? undefined : own.password_hash
  if (!(await unlessBusy(ctx, passwords.verify(shown.password, stored, turn)))) throw wrong()
  const hash = await unlessBusy(ctx, passwords.hash(input.new_password, turn))
  return async (tx) => {
    const now = await store.lock(tx, own.id)
    // The password has changed since the comparison, or the account was deleted.
    if (now?.password_hash !== own.password_hash) throw wrong()
    await setPassword(tx, own, hash)
  }
}

/** @throws AppError NOT_FOUND, FORBIDDEN if the caller lacks a permission of the user, or one that a provider may give. */
const validateUser = async (ctx: Ctx, user: UserRow | undefined, id: string): Promise<UserRow> => {
  if (!user) throw notFound('user', id)
  await requireCharge(ctx, user)
  await requireProvidersCovered(ctx, user)
  return user
}

export const replacePassword = async (
  ctx: Ctx,
  passwords: Passwords,
  { id, new_password }: PasswordReset,
): Promise<Rest> => {
  // Also checked before the hash, which takes a second.
  await validateUser(ctx, await store.find(ctx, id), id)
  const hash = await unlessBusy(ctx, passwords.hash(new_password, createKnownTurn(ctx)))
  return async (tx) => setPassword(tx, await validateUser(tx, await store.lock(tx, id), id), hash)
}
