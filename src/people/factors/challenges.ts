/** Challenges of passkeys: valid for five minutes, once, for one purpose and one user. */
import type { Ctx } from '../../kernel/ctx.ts'
import { CHALLENGE_LIFE_MS } from './relying-party.ts'
import * as store from './store.ts'
import type { FactorChallengeRow } from './table.ts'

type Of = Pick<FactorChallengeRow, 'purpose' | 'user_id'>

/** Stores a challenge. @returns its id */
export const keepChallenge = async (ctx: Ctx, challenge: string, of: Of): Promise<string> => {
  const id = Bun.randomUUIDv7()
  const expires_at = new Date(Date.parse(ctx.now) + CHALLENGE_LIFE_MS).toISOString()
  await store.insertChallenge(ctx, { id, challenge, ...of, expires_at })
  return id
}

/** Uses a challenge up. @returns undefined if it is unknown, used, expired, or for another purpose or user */
export const consumeChallenge = async (ctx: Ctx, id: string, of: Of): Promise<string | undefined> => {
  const row = await store.takeChallenge(ctx, id)
  if (!row || row.purpose !== of.purpose || row.user_id !== of.user_id || row.expires_at <= ctx.now) return undefined
  return row.challenge
}

export const purgeChallenges = async (ctx: Ctx): Promise<void> => {
  while (await ctx.write((tx) => store.removeExpiredChallenges(tx, tx.now)));
}
