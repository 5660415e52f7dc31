/** Writes reservations and frees their addresses; what the rules and the allocation share. */
import { ipKeyOf } from '../../net/ip.ts'
import type { Ctx } from '../ctx.ts'
import type { KeyRange } from '../occupancy/occupancy.ts'
import * as occupancy from '../occupancy/occupancy.ts'
import type { PoolRange } from '../pools/pools.ts'
import type { Reservation, ReservationDraft } from './api.ts'
import * as store from './store.ts'

/** Later than any moment, as text. */
const NEVER = '~'

/** Records reservations of addresses that have been claimed. */
export const reserve = async (
  ctx: Ctx,
  pool: Pick<PoolRange, 'id'>,
  drafts: readonly Omit<ReservationDraft, 'pool_id'>[],
): Promise<Reservation[]> => {
  const reservations = drafts.map(
    ({ ip_address, hostname, purpose, notes, expires_at }): Reservation => ({
      id: Bun.randomUUIDv7(),
      pool_id: pool.id,
      ip_address,
      hostname,
      purpose,
      notes,
      expires_at,
      created_by: ctx.caller.username,
      created_at: ctx.now,
      updated_at: ctx.now,
    }),
  )
  await store.insert(
    ctx,
    reservations.map((reservation) => ({ ...reservation, ip_key: ipKeyOf(reservation.ip_address) })),
  )
  for (const reservation of reservations) await ctx.emit('reservation.created', reservation)
  return reservations
}

/** Deletes reservations by the keys of their addresses, and frees those that no device has. */
export const free = async (ctx: Ctx, keys: readonly string[]): Promise<void> => {
  if (keys.length === 0) return
  await occupancy.lock(ctx, keys)
  await store.removeKeys(ctx, keys)
  await occupancy.release(ctx, keys)
}

/** When the first of all reservations expires. Others may make one meanwhile that does so earlier, but not within a transaction's time. */
const nextExpiries = new WeakMap<occupancy.Seen, string>()

const hasExpired = async (ctx: Ctx, seen: occupancy.Seen): Promise<boolean> => {
  const next = nextExpiries.get(seen) ?? (await store.firstExpiry(ctx)) ?? NEVER
  nextExpiries.set(seen, next)
  return next <= ctx.now
}

/**
 * Deletes the expired reservations of a range, or all; returns how many there were.
 * @param seen in whose transaction it need not be asked for again
 */
export const purgeExpired = async (ctx: Ctx, range?: KeyRange, seen = occupancy.seenBy(ctx)): Promise<number> => {
  const keys = (await hasExpired(ctx, seen)) ? await store.expiredKeys(ctx, range) : []
  if (keys.length === 0) return 0
  await occupancy.lock(ctx, keys)
  // Another writer may have been faster with one, and have reserved its address anew.
  await store.removeExpired(ctx, keys)
  await occupancy.release(ctx, keys, { hadExpired: true })
  return keys.length
}
