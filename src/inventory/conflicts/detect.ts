/** Raises and resolves conflicts in the transaction of the change that causes or removes them. */

import type { Ctx } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, type IpKey } from '../../net/ip.ts'
import { withSpace } from '../spaces/fields.ts'
import { findSpaceIdByKey } from '../spaces/keys.ts'
import {
  buildAddressKey,
  buildSubnetKey,
  type Cause,
  findAddressCause,
  findAddressCauses,
  findSharedAddresses,
  findSharedPlaces,
  findSubnetCause,
  MAX_MEMBERS,
  type Place,
} from './causes.ts'
import type { Conflict } from './schema.ts'
import * as store from './store.ts'

/** Returns the fields that describe the cause. */
const describeCause = ({ ip, subnet, members }: Cause) => ({
  description: `${members.length}${members.length < MAX_MEMBERS ? '' : ' or more'} ${ip ? `devices have the address ${ip}` : `networks have the subnet ${subnet}`}`,
  device_ids: ip ? [...members] : [],
  network_ids: ip ? [] : [...members],
})

const openConflict = async (ctx: Ctx, cause: Cause): Promise<void> => {
  const { ip, subnet, space } = cause
  const { description, ...members } = describeCause(cause)
  const found: Conflict = {
    // Features follow changes beside each other, so that the order of new conflicts is not fixed.
    id: ctx.newId(`conflict ${cause.cause}`),
    ...{ type: ip ? 'duplicate_ip' : 'overlapping_subnet', status: 'active', description },
    ...{ ip_address: ip, ...members, subnets: ip ? [] : [subnet] },
    ...{ detected_at: ctx.now, resolved_at: null, resolved_by: '', notes: '' },
  }
  const conflict = space === DEFAULT_SPACE ? found : withSpace(found, await findSpaceIdByKey(ctx, space))
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
    if (isThere) await openConflict(ctx, cause)
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
  } = describeCause({ ...cause, ip: open.ip_address, subnet: open.subnets[0] ?? '' })
  const before = JSON.stringify([open.device_ids, open.network_ids])
  if (before === JSON.stringify([device_ids, network_ids])) return
  const description = isThere ? now : open.description
  const conflict = { ...open, description, device_ids, network_ids }
  await store.updateMembers(ctx, { conflict, cause: cause.cause }, open)
}

const followAll = async (ctx: Ctx, causes: readonly Cause[], open: ReadonlyMap<string, Conflict>): Promise<void> => {
  for (const cause of causes) await follow(ctx, cause, open.get(cause.cause))
}

/** Up to this number, addresses are queried one by one. */
const MAX_ADDRESSES_QUERIED_ONE_BY_ONE = 8

const isFull = (open: Conflict | undefined): boolean =>
  open !== undefined && Math.max(open.device_ids.length, open.network_ids.length) >= MAX_MEMBERS

const isShared = ({ members }: Cause): boolean => members.length > 1

type Addresses = {
  readonly all: readonly IpKey[]
  /** The addresses among them that a device may have lost. No conflict is resolved by the others. */
  readonly lost: readonly IpKey[]
}

const checkFew = async (ctx: Ctx, ipKeys: readonly IpKey[], lost: ReadonlySet<string>): Promise<void> => {
  // Usually no other device has a new address, and its conflict need not be searched.
  const causes = await Promise.all(ipKeys.map((key) => findAddressCause(ctx, key)))
  const concerned = causes.filter((one) => isShared(one) || lost.has(one.cause))
  if (concerned.length === 0) return
  const open = await store.findOpenByCauses(
    ctx,
    concerned.map(({ cause }) => cause),
  )
  await followAll(
    ctx,
    concerned.filter(({ cause }) => lost.has(cause) || !isFull(open.get(cause))),
    open,
  )
}

const checkMany = async (ctx: Ctx, ipKeys: readonly IpKey[], lost: ReadonlySet<string>): Promise<void> => {
  const open = await store.findOpenByCauses(ctx, ipKeys.map(buildAddressKey))
  const isRead = (key: IpKey): boolean => !isFull(open.get(buildAddressKey(key)))
  const causes = await findAddressCauses(ctx, ipKeys.filter(isRead))
  for (const key of ipKeys)
    if (!isRead(key) && lost.has(buildAddressKey(key))) causes.push(await findAddressCause(ctx, key))
  await followAll(
    ctx,
    causes.filter((one) => isShared(one) || open.has(one.cause)),
    open,
  )
}

/** Checks addresses that devices have gained or lost, and updates their conflicts. */
export const checkAddresses = async (ctx: Ctx, { all, lost }: Addresses): Promise<void> => {
  // An address may be listed twice.
  const ipKeys = [...new Set(all)]
  const check = ipKeys.length <= MAX_ADDRESSES_QUERIED_ONE_BY_ONE ? checkFew : checkMany
  await check(ctx, ipKeys, new Set(lost.map(buildAddressKey)))
}

/** Up to this number, places are queried one by one. */
const MAX_PLACES_QUERIED_ONE_BY_ONE = 8

/** Leaves out places that neither have several networks nor a conflict, if there are many. */
const filterConcerned = async (ctx: Ctx, places: readonly Place[]): Promise<readonly Place[]> => {
  if (places.length <= MAX_PLACES_QUERIED_ONE_BY_ONE) return places
  const shared = new Set((await findSharedPlaces(ctx)).map(buildSubnetKey))
  const open = await store.findOpenByCauses(ctx, places.map(buildSubnetKey))
  const concerned = places.map((place) => [buildSubnetKey(place), place] as const)
  return [...new Map(concerned.filter(([cause]) => shared.has(cause) || open.has(cause))).values()]
}

export const checkChangedPlaces = async (ctx: Ctx, places: readonly Place[]): Promise<void> => {
  for (const place of await filterConcerned(ctx, places)) {
    const cause = await findSubnetCause(ctx, place)
    await followAll(ctx, [cause], await store.findOpenByCauses(ctx, [cause.cause]))
  }
}

/** Compares all causes with the stored conflicts. */
export const checkAll = async (ctx: Ctx): Promise<void> => {
  const causes: Cause[] = []
  for (const key of await findSharedAddresses(ctx)) causes.push(await findAddressCause(ctx, key))
  for (const place of await findSharedPlaces(ctx)) causes.push(await findSubnetCause(ctx, place))
  const open = await store.findAllOpen(ctx)
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
  await followAll(ctx, [...causes, ...cured], open)
}
