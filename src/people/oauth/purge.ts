/** Deletes expired codes, tokens and grants, and clients without consent. */
import type { Ctx } from '../../kernel/ctx.ts'
import { ENDING } from './store.ts'

/** Rows removed in one transaction. */
const BATCH = 500
const DAY_MS = 24 * 3_600_000

/** Retention after expiry, in ms: detects a second use of a code, and leaves time for a first consent. */
const KEPT_MS: Readonly<Record<keyof typeof ENDING, number>> = {
  codes: DAY_MS,
  accessTokens: 0,
  refreshTokens: 0,
  grants: 0,
  idleClients: DAY_MS,
}

const removeExpiredKind = async (ctx: Ctx, kind: keyof typeof ENDING): Promise<void> => {
  const { find, remove } = ENDING[kind]
  const before = new Date(Date.parse(ctx.now) - KEPT_MS[kind]).toISOString()
  for (;;) {
    const keys = (await find(ctx, { before, limit: BATCH })).map(({ key }) => key)
    if (keys.length > 0) await ctx.write(async (tx) => void (await remove(tx, keys)))
    if (keys.length < BATCH) return
  }
}

export const removeExpired = async (ctx: Ctx): Promise<void> => {
  // `Object.keys` is typed as strings; the keys of this constant are known.
  for (const kind of Object.keys(ENDING) as (keyof typeof ENDING)[]) await removeExpiredKind(ctx, kind)
}
