/** Answers when discovered and documented devices were there. */
import { notFound } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import type { JoinedHost, Presence, PresenceInterval, presence } from './api.ts'
import { findHolderNames } from './names.ts'
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

const DAY_MS = 86_400_000
const formatBefore = (now: string): string => new Date(Date.parse(now) - DAY_MS).toISOString()

/** Intervals that are read for each device of the list: it may have several addresses, and join again and again. */
const READ_PER_DEVICE = 10

const listJoined = async (ctx: Ctx, since: string, limit: number): Promise<JoinedHost[]> => {
  const rows = await store.findBegun(ctx, { since, limit: limit * READ_PER_DEVICE })
  const latest = new Map<string, PresenceRow>()
  for (const row of rows) if (!latest.has(row.discovered_id)) latest.set(row.discovered_id, row)
  const named = await findHolderNames(ctx, [...latest.keys()])
  return [...latest.values()]
    .flatMap(({ discovered_id, network_id, ip, mac_address, began_at }): JoinedHost[] => {
      const holder = named.get(discovered_id)
      if (!holder) return []
      const { first_seen, device_id, name } = holder
      const isNew = first_seen >= since
      return [{ discovered_id, device_id, name, network_id, ip, mac_address, joined_at: began_at, is_new: isNew }]
    })
    .slice(0, limit)
}

export const presenceHandlers: Handlers<typeof presence, Tables> = {
  ofDiscovered: async (ctx, asked) => {
    if (!(await store.filterExistingDevices(ctx, [asked.id])).has(asked.id))
      throw notFound('discovered device', asked.id)
    return show(ctx, asked, store.findOfDiscovered)
  },
  ofDevice: async (ctx, asked) => {
    // `require` asks for a permission everywhere. A caller who has it in a scope reads the devices of the scope.
    if (!ctx.caller.permissions.has('devices:read')) ctx.require('devices:read')
    const device = await ctx.db.selectFrom('devices').select('id').where('id', '=', asked.id).executeTakeFirst()
    if (!device) throw notFound('device', asked.id)
    return show(ctx, asked, store.findOfDevice)
  },
  joined: async (ctx, { since = formatBefore(ctx.now), limit }) => listJoined(ctx, since, limit),
}
