/** Writes reservations and frees their addresses, for the rules and for the allocation. */

import { filterGivenTexts } from '../../contract/fields/fields.ts'
import { transactionState } from '../../database/transaction-state.ts'
import { updateRefs } from '../../kernel/changes/object-refs.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type IpKey, parseIpKeyOrThrow, type SpaceKey } from '../../net/ip.ts'
import { withCustomOfAll } from '../../resource/custom/rows.ts'
import { asRestored, type Restored } from '../../resource/restore-fields.ts'
import type { PoolRange } from '../pools/free-space.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import type { Reservation, ReservationDraft } from './api.ts'
import { findExpiredKeys, findFirstExpiry, removeExpired, removeKeys, store } from './store.ts'

/** Sorts after every time. */
const NEVER = '~'

/** A new reservation, or one that the history makes again. */
export type NewReservation = ReservationDraft & Restored & Partial<Pick<Reservation, 'id' | 'created_by'>>

/** Records reservations of claimed addresses. */
export const reserve = async (
  ctx: Ctx,
  pool: Pick<PoolRange, 'id'> & { readonly space: SpaceKey },
  drafts: readonly Omit<NewReservation, 'pool_id'>[],
): Promise<Reservation[]> => {
  const bare = drafts.map(
    ({ ip_address, hostname, mac_address, purpose, notes, expires_at, refs, managed_by, ...own }): Reservation => ({
      id: own.id ?? ctx.newId(),
      pool_id: pool.id,
      ip_address,
      hostname,
      purpose,
      notes,
      expires_at,
      created_by: own.created_by ?? ctx.author,
      refs: updateRefs({}, refs),
      managed_by,
      created_at: own.created_at ?? ctx.now,
      updated_at: ctx.now,
      ...filterGivenTexts({ mac_address }),
    }),
  )
  const reservations = await withCustomOfAll(
    ctx,
    'addresses',
    bare.map((object, i) => ({ object, given: drafts[i]?.custom, ...asRestored(drafts[i]) })),
  )
  const toWrite = (after: Reservation) => ({
    after,
    columns: { ip_key: parseIpKeyOrThrow(after.ip_address, pool.space) },
  })
  await store.write(ctx, reservations.map(toWrite))
  return reservations
}

/** Deletes reservations by the keys of their addresses, and frees the addresses that no device has. */
export const free = async (ctx: Ctx, keys: readonly IpKey[]): Promise<void> => {
  if (keys.length === 0) return
  await occupancy.lock(ctx, keys)
  await removeKeys(ctx, keys)
  await occupancy.release(ctx, keys)
}

/** The earliest expiry of a transaction; a reservation added since cannot expire within it. */
const nextExpiry = transactionState((): { at?: string } => ({}))

const hasExpired = async (ctx: Ctx, cache: occupancy.BlockCache): Promise<boolean> => {
  const next = cache.local(nextExpiry)
  next.at ??= (await findFirstExpiry(ctx)) ?? NEVER
  return next.at <= ctx.now
}

/** @param range all without it @param cache of the transaction @returns the number of deleted reservations */
export const purgeExpired = async (
  ctx: Ctx,
  range?: KeyRange,
  cache = occupancy.getBlockCache(ctx),
): Promise<number> => {
  const keys = (await hasExpired(ctx, cache)) ? await findExpiredKeys(ctx, range) : []
  if (keys.length === 0) return 0
  await occupancy.lock(ctx, keys)
  // Another writer may have removed one already, and reserved its address again.
  await removeExpired(ctx, keys)
  await occupancy.release(ctx, keys, { hadExpired: true })
  return keys.length
}
