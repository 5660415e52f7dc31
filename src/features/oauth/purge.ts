/** Deletes what is over: expired codes, tokens and grants, and clients that nobody has ever agreed to. */
import type { Ctx } from '../ctx.ts'
import { ENDING } from './store.ts'

/** Rows removed in one transaction. */
const BATCH = 500
const DAY_MS = 24 * 3_600_000

/** How long after its end each goes: a second use of a code is still noticed, and a client is agreed to at once or never. */
const KEPT_MS: Readonly<Record<keyof typeof ENDING, number>> = {
  codes: DAY_MS,
  accessTokens: 0,
  refreshTokens: 0,
  grants: 0,
  idleClients: DAY_MS,
}

const purgeKind = async (ctx: Ctx, kind: keyof typeof ENDING): Promise<void> => {
  const { find, remove } = ENDING[kind]
  const before = new Date(Date.parse(ctx.now) - KEPT_MS[kind]).toISOString()
  for (;;) {
    const keys = (await find(ctx, { before, limit: BATCH })).map(({ key }) => key)
    if (keys.length > 0) await ctx.write(async (tx) => void (await remove(tx, keys)))
    if (keys.length < BATCH) return
  }
}

export const purge = async (ctx: Ctx): Promise<void> => {
  // The names of a constant are its keys.
  for (const kind of Object.keys(ENDING) as (keyof typeof ENDING)[]) await purgeKind(ctx, kind)
}
