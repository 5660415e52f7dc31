/** Raises and resolves conflicts in the transaction of the change that causes or removes them. */
import { DEFAULT_SPACE, type IpKey } from '../../net/ip.ts'
import type { Ctx } from '../ctx.ts'
import { withSpace } from '../spaces/fields.ts'
import { idOfKey } from '../spaces/keys.ts'
import {
  type Cause,
  causeOfAddress,
  causeOfAnyAddress,
  causeOfPlace,
  causesOfAddresses,
  MAX_MEMBERS,
  type Place,
  sharedAddresses,
  sharedPlaces,
} from './causes.ts'
import type { Conflict } from './schema.ts'
import * as store from './store.ts'

/** Returns the fields that describe the cause. */
const told = ({ ip, subnet, members }: Cause) => ({
  description: `${members.length}${members.length < MAX_MEMBERS ? '' : ' or more'} ${ip ? `devices have the address ${ip}` : `networks have the subnet ${subnet}`}`,
  device_ids: ip ? [...members] : [],
  network_ids: ip ? [] : [...members],
})

const raise = async (ctx: Ctx, cause: Cause): Promise<void> => {
  const { ip, subnet, space } = cause
  const { description, ...members } = told(cause)
  const found: Conflict = {
    ...{ id: Bun.randomUUIDv7(), type: ip ? 'duplicate_ip' : 'overlapping_subnet', status: 'active', description },
    ...{ ip_address: ip, ...members, subnets: ip ? [] : [subnet] },
    ...{ detected_at: ctx.now, resolved_at: null, resolved_by: '', notes: '' },
  }
  const conflict = space === DEFAULT_SPACE ? found : withSpace(found, await idOfKey(ctx, space))
  await store.insert(ctx, { conflict, cause: cause.cause })
  await ctx.emit('conflict.detected', conflict)
}

/** Resolves an open conflict. */
export const close = async (ctx: Ctx, { conflict, cause }: store.Stored): Promise<Conflict> => {
  const resolved: Conflict = { ...conflict, status: 'resolved', resolved_at: ctx.now }
  await store.update(ctx, { conflict: resolved, cause })
  await ctx.emit('conflict.resolved', resolved)
  return resolved
}

const follow = async (ctx: Ctx, cause: Cause, open: Conflict | undefined): Promise<void> => {
  const isThere = cause.members.length > 1
  if (!open) {
    if (isThere) await raise(ctx, cause)
    return
  }
  // An ignored conflict stays so, even if its members change.
  if (!isThere && open.status === 'active') {
    await close(ctx, { conflict: open, cause: cause.cause })
    return
  }
  const {
    description: now,
    device_ids,
    network_ids,
  } = told({ ...cause, ip: open.ip_address, subnet: open.subnets[0] ?? '' })
  const before = JSON.stringify([open.device_ids, open.network_ids])
  if (before === JSON.stringify([device_ids, network_ids])) return
  const description = isThere ? now : open.description
  const conflict = { ...open, description, device_ids, network_ids }
  await store.updateMembers(ctx, { conflict, cause: cause.cause }, open)
  await ctx.emit('conflict.changed', conflict)
}

const settle = async (ctx: Ctx, causes: readonly Cause[], open: ReadonlyMap<string, Conflict>): Promise<void> => {
  for (const cause of causes) await follow(ctx, cause, open.get(cause.cause))
}

/** Up to this number, addresses are queried one by one. */
const FEW = 8

const isFull = (open: Conflict | undefined): boolean =>
  open !== undefined && Math.max(open.device_ids.length, open.network_ids.length) >= MAX_MEMBERS

const isShared = ({ members }: Cause): boolean => members.length > 1

/** Checks addresses that devices have gained: no conflict is resolved by that. */
export const addressesTaken = async (ctx: Ctx, taken: readonly IpKey[]): Promise<void> => {
  if (taken.length === 0) return
  // An address may be listed twice.
  const ipKeys = [...new Set(taken)]
  // For few addresses the count of their devices is skipped: usually no other device has them.
  const known = ipKeys.length <= FEW ? await Promise.all(ipKeys.map((key) => causeOfAnyAddress(ctx, key))) : undefined
  const wanted = known?.filter(isShared).map(({ cause }) => cause) ?? ipKeys.map(causeOfAddress)
  if (wanted.length === 0) return
  const open = await store.openOf(ctx, wanted)
  const isLookedAt = (cause: string): boolean => !isFull(open.get(cause))
  const found =
    known ??
    (await causesOfAddresses(
      ctx,
      ipKeys.filter((key) => isLookedAt(causeOfAddress(key))),
    ))
  const shared = found.filter((one) => isShared(one) && isLookedAt(one.cause))
  await settle(ctx, shared, open)
}

/** Checks addresses that devices have gained or lost, and updates their conflicts. */
export const addressesChanged = async (ctx: Ctx, changed: readonly IpKey[]): Promise<void> => {
  if (changed.length === 0) return
  const ipKeys = [...new Set(changed)]
  const open = await store.openOf(ctx, ipKeys.map(causeOfAddress))
  for (const key of ipKeys) {
    const cause = await causeOfAnyAddress(ctx, key)
    await follow(ctx, cause, open.get(cause.cause))
  }
}

/** As `addressesChanged`, with few queries for addresses of which no other device has one. */
export const addressesLost = async (ctx: Ctx, lost: readonly IpKey[]): Promise<void> => {
  const ipKeys = [...new Set(lost)]
  if (ipKeys.length <= FEW) return addressesChanged(ctx, ipKeys)
  const open = await store.openOf(ctx, ipKeys.map(causeOfAddress))
  const shared = (await causesOfAddresses(ctx, ipKeys)).filter(isShared)
  const known = new Set(shared.map(({ cause }) => cause))
  const concerned = ipKeys.filter((key) => known.has(causeOfAddress(key)) || open.has(causeOfAddress(key)))
  await addressesChanged(ctx, concerned)
}

export const placesChanged = async (ctx: Ctx, places: readonly Place[]): Promise<void> => {
  for (const place of places) {
    const cause = await causeOfPlace(ctx, place)
    await settle(ctx, [cause], await store.openOf(ctx, [cause.cause]))
  }
}

/** Compares all causes with the stored conflicts. */
export const checkAll = async (ctx: Ctx): Promise<void> => {
  const causes: Cause[] = []
  for (const key of await sharedAddresses(ctx)) causes.push(await causeOfAnyAddress(ctx, key))
  for (const place of await sharedPlaces(ctx)) causes.push(await causeOfPlace(ctx, place))
  const open = await store.allOpen(ctx)
  const found = new Set(causes.map(({ cause }) => cause))
  const cured = [...open].flatMap(
    ([
      cause,
      {
        ip_address: ip,
        subnets: [subnet = ''],
      },
    ]) => (found.has(cause) ? [] : [{ cause, ip, subnet, space: DEFAULT_SPACE, members: [] }]),
  )
  await settle(ctx, [...causes, ...cured], open)
}
