/** Answers when discovered and documented devices were there. */
import { notFound } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import type { Presence, PresenceInterval, presence } from './api.ts'
import { computeCovered, limitRange, MAX_ROWS, parseRange, toEnd } from './range.ts'
import * as store from './store.ts'
import type { PresenceRow } from './table.ts'

type Asked = { readonly id: string; readonly from?: string | undefined; readonly to?: string | undefined }

const byNewest = (a: PresenceRow, b: PresenceRow): number =>
  a.began_at === b.began_at ? (a.id < b.id ? 1 : -1) : a.began_at < b.began_at ? 1 : -1

const toInterval = (row: PresenceRow): PresenceInterval => {
  const { ip, mac_address, began_at } = row
  return { ip, mac_address, from: began_at, to: toEnd(row) }
}

const SECOND_MS = 1000
/** The share has four digits: changes within minutes do not change it. */
const PRECISION = 10_000

const toPresence = (found: readonly PresenceRow[], asked: store.Range): Presence => {
  const { rows, range, complete_since } = limitRange(found, asked)
  const covered = computeCovered(rows, range)
  const length = Date.parse(range.to) - Date.parse(range.from)
  return {
    intervals: [...rows].sort(byNewest).map(toInterval),
    seconds_up: Math.round(covered / SECOND_MS),
    share_up: length === 0 ? Number(rows.length > 0) : Math.round((covered / length) * PRECISION) / PRECISION,
    complete_since,
  }
}

type Find = (ctx: Ctx, range: store.Range & { id: string; limit: number }) => Promise<PresenceRow[]>

const show = async (ctx: Ctx, { id, ...asked }: Asked, find: Find): Promise<Presence> => {
  const range = parseRange(asked, ctx.now)
  return toPresence(await find(ctx, { id, ...range, limit: MAX_ROWS }), range)
}

export const presenceHandlers: Handlers<typeof presence, Tables> = {
  ofDiscovered: async (ctx, asked) => {
    if (!(await store.filterExistingDevices(ctx, [asked.id])).has(asked.id))
      throw notFound('discovered device', asked.id)
    return show(ctx, asked, store.findOfDiscovered)
  },
  ofDevice: async (ctx, asked) => {
    // Refuses a permission for a part of the estate, of which the caller has all that the call reads.
    if (!ctx.caller.permissions.has('devices:read')) ctx.require('devices:read')
    const device = await ctx.db.selectFrom('devices').select('id').where('id', '=', asked.id).executeTakeFirst()
    if (!device) throw notFound('device', asked.id)
    return show(ctx, asked, store.findOfDevice)
  },
}
