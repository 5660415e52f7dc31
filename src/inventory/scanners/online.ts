/** The job that tells of scanners that come online or go offline. */
import type { Config } from '../../base/config/config.ts'
import type { Tables } from '../../database/tables.ts'
import type { Job } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findTurns } from './state-row-store.ts'
import { turn } from './state-store.ts'

export type OnlineOptions = { readonly config: Pick<Config, 'scannerOfflineAfterMs'>; readonly now: () => Date }

export const createOnlineJob = ({ config, now }: OnlineOptions): Job<Tables> => {
  const afterMs = config.scannerOfflineAfterMs
  const startMs = now().getTime()
  /** Scanners could not reach a server that was stopped. */
  const isTrusted = (ctx: Ctx, isOnline: boolean): boolean => isOnline || Date.parse(ctx.now) - startMs >= afterMs
  return {
    name: 'scanners.follow-requests',
    summary: 'Tells of scanners that come online, or have sent nothing for SCANNER_OFFLINE_AFTER',
    everyMs: 1000,
    // A turn is stored by whichever instance is first. A lease would cost two writes a second.
    onEveryInstance: true,
    run: async (ctx) => {
      for (const { scanner_id: id, is_online } of await findTurns(ctx, afterMs)) {
        const isOnline = is_online === 0
        if (!isTrusted(ctx, isOnline)) continue
        await ctx.write(async (tx) => {
          // A request may have come since.
          const [due] = await findTurns(tx, afterMs, id)
          if (due) await turn(tx, { id, isOnline })
        })
      }
    },
  }
}
