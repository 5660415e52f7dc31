/** The rules of reservations. */

import { AppError, invalidField, orNotFound } from '../../contract/errors.ts'
import { filterGivenTexts } from '../../contract/fields/fields.ts'
import { isManagedBy } from '../../database/managed-by.ts'
import { updateRefs } from '../../kernel/changes/object-refs.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { getSpaceKey, type IpKey, parseIpKeyOrThrow, replaceSpace, type SpaceKey } from '../../net/ip.ts'
import { listEndKeys } from '../../net/subnet-tree.ts'
import { resourceRules, rewriteStored } from '../../resource/rules.ts'
import type { SpaceChange } from '../networks/move-to-space.ts'
import { lockPlacementShared } from '../placement-lock.ts'
import { type PoolRange, toKeyRange } from '../pools/free-space.ts'
import { findInnerNetworks } from '../pools/inner-networks.ts'
import {
  findPoolRanges,
  getPoolOrThrow,
  getPoolRangeOrThrow,
  lockPoolNames,
  type PoolsMoved,
  type RangeChange,
} from '../pools/pools.ts'
import { getExpiringRevision } from '../used-addresses/expiry.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import { allocate } from './allocate.ts'
import { type Reservation, type ReservationPatch, reservations } from './api.ts'
import { free, type NewReservation, purgeExpired, reserve } from './record.ts'
import type { reservationFacts } from './resource.ts'
import {
  countLive,
  find,
  findByKey,
  findExpiredKeys,
  findFirstOutside,
  findFirstReserved,
  findKey,
  findKeysInNetwork,
  findKeysInPools,
  isLive,
  lock,
  moveToSpace,
  selectListed,
  store,
} from './store.ts'

const checkExpiry = (ctx: Ctx, expiresAt: string | null | undefined): void => {
  if (expiresAt && expiresAt <= ctx.now) throw invalidField('expires_at', 'must be in the future')
}

const NEVER_FREE = 'is the network or broadcast address of its network'

const createUnavailableError = (ip: string, why: string) => new AppError('IP_NOT_AVAILABLE', `${ip} ${why}`)

/** For features that read reservations together with other objects. */
export const { columns, documents: findDocuments, fromRow } = store
export { isLive }

const { steps } = resourceRules<typeof reservationFacts, Reservation>(store)

/** Claims an address that a device may have: a reservation and a device held it together before. */
const claimBeside = async (ctx: Ctx, key: IpKey): Promise<boolean> => {
  await occupancy.lock(ctx, [key])
  if (await findByKey(ctx, key)) return false
  await occupancy.take(ctx, [key])
  return true
}

type Wanted = { readonly key: IpKey; readonly ip: string; readonly isKept: boolean }

/** @throws AppError IP_NOT_AVAILABLE if the address belongs to a more specific network than that of the pool */
const checkNetwork = async (ctx: Ctx, pool: PoolRange, { key, ip, isKept }: Wanted): Promise<void> => {
  const [inner] = await findInnerNetworks(ctx, pool, key)
  if (!inner) return
  if (listEndKeys(inner).includes(key)) throw createUnavailableError(ip, NEVER_FREE)
  if (isKept) return
  const name = ctx.canListAll('networks') ? ` "${inner.name}" (${inner.subnet})` : ''
  throw createUnavailableError(ip, `belongs to the more specific network${name}; reserve it in a pool of that network`)
}

type Options = {
  /** The address may be that of a device. */
  readonly isShared?: boolean
  /** The reservation was stored before, perhaps elsewhere: its address may belong to a more specific network than that of its pool. */
  readonly isKept?: boolean
}

export const create = async (
  ctx: Ctx,
  draft: NewReservation,
  { isShared = false, isKept = false }: Options = {},
): Promise<Reservation> => {
  await store.lockCustom(ctx)
  // No network is created around the address until commit.
  await lockPlacementShared(ctx)
  await lockPoolNames(ctx, [draft.pool_id])
  const pool = await getPoolRangeOrThrow(ctx, draft.pool_id)
  checkExpiry(ctx, draft.expires_at)
  const ip = draft.ip_address
  const space = getSpaceKey(pool.start_key)
  const key = parseIpKeyOrThrow(ip, space)
  if (key < pool.start_key || key > pool.end_key)
    throw invalidField(
      'ip_address',
      `is outside of the pool${ctx.canListAll('pools') ? ` (${pool.start_ip} - ${pool.end_ip})` : ''}`,
    )
  if (listEndKeys(pool).includes(key)) throw createUnavailableError(ip, NEVER_FREE)
  await checkNetwork(ctx, pool, { key, ip, isKept })
  if (draft.refs) await store.lockNewRefs(ctx, updateRefs({}, draft.refs))
  // An expired reservation holds its refs until it is deleted.
  await purgeExpired(ctx, draft.refs ? undefined : { first: key, last: key })
  // Before the address: of two callers that make one reservation, the second learns which it is.
  if (draft.refs) await store.claimRefs(ctx, updateRefs({}, draft.refs))
  const isClaimed = isShared ? await claimBeside(ctx, key) : await occupancy.claim(ctx, [key])
  if (!isClaimed) throw createUnavailableError(ip, 'is taken by a device or another reservation')
  const [reservation] = await reserve(ctx, { id: pool.id, space }, [draft])
  if (!reservation) throw new Error('one draft makes one reservation')
  return reservation
}

/** Returns the key of the space of a pool; undefined if there is no such pool. */
const findSpaceOfPool = async (ctx: Ctx, poolId: string): Promise<SpaceKey | undefined> => {
  const range = (await findPoolRanges(ctx, [poolId])).get(poolId)
  return range && getSpaceKey(range.first)
}

/** Returns the active reservation of an address in a pool. */
export const findByAddress = async (ctx: Ctx, poolId: string, ip: string): Promise<Reservation | undefined> => {
  const space = await findSpaceOfPool(ctx, poolId)
  if (space === undefined) return undefined
  const reservation = await findByKey(ctx, parseIpKeyOrThrow(ip, space))
  return reservation?.pool_id === poolId ? reservation : undefined
}

const getOrThrow = async (ctx: Ctx, id: string): Promise<Reservation> =>
  orNotFound(await find(ctx, id), 'reservation', id)

const lockForChange = async (ctx: Ctx, id: string): Promise<Reservation> => {
  const reservation = orNotFound(await lock(ctx, id), 'reservation', id)
  ctx.precondition(reservation)
  return reservation
}

export const update = async (ctx: Ctx, { id, ...given }: ReservationPatch): Promise<Reservation> => {
  await store.lockCustom(ctx)
  // An expired reservation holds its refs until it is deleted.
  if (given.refs) await purgeExpired(ctx)
  const before = await lockForChange(ctx, id)
  const { pool_id: _, ip_address: __, ...patch } = given
  // A reservation without a MAC has no such field, and the history takes one away by null.
  const bare = { mac_address: '', ...before }
  const { mac_address = bare.mac_address } = patch
  const { value, changes } = await steps.merge(ctx, bare, { ...patch, mac_address: mac_address ?? '' })
  if (changes.length === 0) return before
  if (changes.includes('expires_at')) checkExpiry(ctx, patch.expires_at)
  const { mac_address: mac, ...others } = value
  const reservation: Reservation = { ...others, updated_at: ctx.now, ...filterGivenTexts({ mac_address: mac }) }
  await store.write(ctx, [{ before, after: reservation }])
  return reservation
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await store.lockCustom(ctx)
  await lockForChange(ctx, id)
  const key = await findKey(ctx, id)
  await free(ctx, key === undefined ? [] : [key])
}

export const feature: Feature = {
  operations: implement(reservations, {
    all: async (ctx, { managed_by, ...page }) => {
      const revision = await getExpiringRevision(ctx, ['reservations'])
      const all = selectListed(ctx)
      const query = managed_by ? all.where(isManagedBy(managed_by)) : all
      return listRows(ctx, { revision, query, page, row: fromRow })
    },
    list: async (ctx, { pool_id, ...page }) => {
      await getPoolOrThrow(ctx, pool_id)
      const revision = await getExpiringRevision(ctx, ['reservations'])
      return listRows(ctx, {
        revision,
        query: selectListed(ctx).where('pool_id', '=', pool_id),
        page,
        row: fromRow,
      })
    },
    create: async (ctx, draft) => create(ctx, draft),
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    allocate,
  }),
  jobs: [
    {
      name: 'reservations.expire',
      summary: 'Deletes reservations that have expired',
      everyMs: 10_000,
      run: async (ctx) => {
        if ((await findExpiredKeys(ctx)).length > 0) await ctx.write(purgeExpired)
      },
    },
  ],
  reactions: {
    // Other ids than ids of reservations belong to addresses of devices.
    ...rewriteStored(store),
    'network.changing-space': async (ctx, { before, to, issues }: SpaceChange) => {
      await purgeExpired(ctx)
      const keys = await findKeysInNetwork(ctx, before.id)
      const first = await findFirstReserved(
        ctx,
        keys.map((key) => replaceSpace(key, to)),
      )
      if (first !== undefined)
        issues.push({
          field: 'space_id',
          message: `would reserve ${ctx.canListAll('reservations') ? first : 'an address'} twice: it is reserved in that space as well`,
        })
    },
    'network.changed-space': async (ctx, { after, from, to }: SpaceChange) => {
      const keys = await findKeysInNetwork(ctx, after.id)
      const moved = keys.map((key) => replaceSpace(key, to))
      await occupancy.lock(ctx, [...keys, ...moved])
      await moveToSpace(ctx, after.id, { from, to })
      await occupancy.release(ctx, keys)
      await occupancy.take(ctx, moved)
    },
    'pools.moved': async (ctx, { ids, moved }: PoolsMoved) => {
      moved.reservations += await countLive(ctx, ids)
    },
    'pools.deleting': async (ctx, poolIds: readonly string[]) => free(ctx, await findKeysInPools(ctx, poolIds)),
    'pool.changing-range': async (ctx, { before, after, space, issues }: RangeChange) => {
      const range = toKeyRange(after, space)
      const outside = await findFirstOutside(ctx, before.id, range)
      if (!outside) return
      const field = outside.ip_key < range.first ? 'start_ip' : 'end_ip'
      issues.push({
        field,
        message: `would leave the reservation of ${ctx.canListAll('reservations') ? outside.ip_address : 'an address'} outside`,
      })
    },
  },
}
