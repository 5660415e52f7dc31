/** Closes intervals of presence: a completed scan closes those that it missed, with the moment at which each was last seen. */
import { findSpaceKey } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseIpKeyOrThrow } from '../../net/ip.ts'
import { buildNetworkKey } from '../devices/network-keys.ts'
import type { Seen } from '../devices/records.ts'
import { processInBatches } from '../scans/batches.ts'
import * as store from './store.ts'
import { OPEN, type PresenceRow } from './table.ts'

/** Open intervals that are compared together. */
const PAGE = 500

export type Completed = {
  readonly networkId: string
  /** True for an address that the scan has not probed. */
  readonly isExcluded: (ip: string) => boolean
}

const buildEnd = ({ id, mac_address, seen_at }: PresenceRow, known: store.KnownAddress | undefined) => {
  const isLast = known !== undefined && known.mac === mac_address && known.last_seen > seen_at
  return { id, patch: { ended_at: isLast ? known.last_seen : seen_at } }
}

/** Returns the ends of the intervals of which the stored addresses say that they are over. */
const findEnds = async (ctx: Ctx, { networkId, isExcluded }: Completed, rows: readonly PresenceRow[]) => {
  const network = await ctx.db.selectFrom('networks').select('space_id').where('id', '=', networkId).executeTakeFirst()
  if (!network) return []
  const space = await findSpaceKey(ctx, network)
  const toPlace = ({ ip }: PresenceRow) => buildNetworkKey(networkId, parseIpKeyOrThrow(ip, space))
  const known = new Map((await store.findAddressesAt(ctx, rows.map(toPlace))).map((one) => [one.place, one]))
  return rows.flatMap((row) => {
    const at = known.get(toPlace(row))
    const isHere = at?.status === 'up' && at.mac === row.mac_address
    return isHere || isExcluded(row.ip) ? [] : [buildEnd(row, at)]
  })
}

/** Closes the intervals that a completed scan missed. Call it after the scan has marked the absent addresses. */
export const closeMissed = async (ctx: Ctx, completed: Completed): Promise<void> => {
  const { networkId } = completed
  let after: readonly [string, string] = ['', '']
  for (;;) {
    const page = await store.findOpen(ctx, { networkId, after, limit: PAGE })
    const items = await findEnds(ctx, completed, page)
    const byId = new Map(page.map((row) => [row.id, row]))
    if (items.length > 0)
      await processInBatches(ctx, { items }, async (tx, some) => {
        // Until commit, no host of the network is seen.
        await tx.lock('discoveredDevices', [networkId])
        const ips = some.flatMap(({ id }) => byId.get(id)?.ip ?? [])
        const open = await store.findAt(tx, { networkId, ips, since: OPEN })
        await store.update(tx, await findEnds(tx, completed, open))
        return true
      })
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = [last.ip, last.mac_address]
  }
}

/** Notes when addresses were last seen that a device has left, and of which nothing else is kept. */
export const noteLeft = async (ctx: Ctx, networkId: string, left: readonly Seen[]): Promise<void> => {
  if (left.length === 0) return
  const seen = new Map(left.map((one) => [`${one.ip} ${one.observation.mac}`, one.last_seen]))
  const open = await store.findAt(ctx, { networkId, ips: left.map(({ ip }) => ip), since: OPEN })
  await store.update(
    ctx,
    open.flatMap(({ id, ip, mac_address, seen_at }) => {
      const last = seen.get(`${ip} ${mac_address}`)
      return last !== undefined && last > seen_at ? [{ id, patch: { seen_at: last } }] : []
    }),
  )
}

/** Closes the intervals of devices that are about to be deleted: no scan will miss these. */
export const closeOfDevices = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  const open = await store.findOpenByDevices(ctx, ids)
  if (open.length === 0) return
  const addresses = await store.findAddressesOf(ctx, [...new Set(open.map(({ discovered_id }) => discovered_id))])
  const known = new Map(addresses.map((one) => [`${one.device_id} ${one.ip}`, one]))
  await store.update(
    ctx,
    open.map((row) => buildEnd(row, known.get(`${row.discovered_id} ${row.ip}`))),
  )
}
