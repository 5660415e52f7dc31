/** Takes the scans of silent scanners back, so that others of their label may have them. */
import { type SqlBool, sql } from 'kysely'
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from '../scans/scan-store.ts'
import { giveBack } from './claims.ts'

/** After this time without a request, another scanner may have the scans. */
const SILENCE_MS = 600_000
const MINUTE_MS = 60_000

/** One that has said goodbye has no beat; the minute of its last request is stored. */
const findSilent = ({ db, store: { sql: engine }, now }: Ctx) => {
  const goneBefore = new Date(Date.parse(now) - SILENCE_MS - MINUTE_MS).toISOString()
  return db
    .selectFrom('discovery_scans')
    .innerJoin('scanner_beats', 'scanner_beats.scanner_id', 'discovery_scans.scanner_id')
    .innerJoin('scanner_states', 'scanner_states.scanner_id', 'discovery_scans.scanner_id')
    .select(['discovery_scans.id', 'scanner_name'])
    .where('status', '=', 'running')
    .where('is_done', '=', 0)
    .where(sql<SqlBool>`beat_ms < ${engine.nowMs(Date.parse(now))} - ${sql.lit(SILENCE_MS)}`)
    .where(({ eb, or }) => or([eb('beat_ms', '>', 0), eb('last_seen_at', '<', goneBefore)]))
}

/** @param startedMs the start of this process: before it, no request could be heard */
export const releaseSilent = async (ctx: Ctx, startedMs: number): Promise<void> => {
  if (Date.parse(ctx.now) - startedMs < SILENCE_MS) return
  for (const { id, scanner_name } of await findSilent(ctx).execute())
    await ctx.write(async (tx) => {
      await store.lockStarts(tx)
      const silent = await findSilent(tx).where('discovery_scans.id', '=', id).executeTakeFirst()
      if (silent)
        await giveBack(tx, id, `nothing was heard of ${scanner_name} for 10 minutes: another scanner may go on`)
    })
}
