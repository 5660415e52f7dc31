/** Checks that usernames are free: no other user has the name, or a similar one. */

import { z } from 'zod'
import type { Logger } from '../../base/runtime/log.ts'
import { AppError, type FieldIssue } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { User } from './api.ts'
import * as store from './store.ts'
import type { UserRow } from './table.ts'
import { Username } from './username.ts'

const Renamed = z.object({ username: Username })

/** Returns the username that an update sets; an unchanged one may be older than the rules. @throws AppError */
export const parseChangedUsername = (before: string, username: string | undefined): string | undefined =>
  username === undefined || username === before ? username : parse(Renamed, { username }).username

type Named = Pick<User, 'id' | 'username' | 'email'>

/** @param before the stored user; an unchanged name is free @throws AppError ALREADY_EXISTS, also if similar */
export const requireFree = async (ctx: Ctx, user: Named, before?: Pick<UserRow, 'username'>): Promise<void> => {
  const others = await store.findNamesakes(ctx, user)
  const details: FieldIssue[] = []
  if (others.some(({ username_key }) => username_key === store.normalizeName(user.username)))
    details.push({ field: 'username', message: 'is the name of another user' })
  else if (before?.username !== user.username) {
    const alike = await store.findLookAlike(ctx, user)
    if (alike !== undefined)
      details.push({ field: 'username', message: `looks like "${alike}", the name of another user` })
  }
  if (user.email !== '' && others.some(({ email_key }) => email_key === store.normalizeName(user.email)))
    details.push({ field: 'email', message: 'is the address of another user' })
  const [first] = details
  if (!first) return
  const message = first.message.startsWith('looks')
    ? `This username ${first.message}`
    : `There is a user with this ${first.field} already`
  throw new AppError('ALREADY_EXISTS', message, { details })
}

/** The number of users of one transaction. */
const BATCH = 500

/** Computes the skeletons of names that have none, or have one of another version of the table. */
export const updateLooks = async (db: Db<Tables>, log: Pick<Logger, 'warn'>): Promise<void> => {
  try {
    for (;;) {
      const users = await store.findUnsettledLooks({ db: db.read }, BATCH)
      if (users.length === 0) return
      await db.write(async (tx) => {
        for (const user of users) await store.updateLook(tx, user)
      })
    }
  } catch (error) {
    // On a full disk, for example. Until it succeeds, these names are compared one by one.
    log.warn('the skeletons of usernames could not be stored', { error })
  }
}
