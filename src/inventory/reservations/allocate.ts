/** Allocates free addresses: chooses, claims and records them in one transaction, so that no other caller gets them. */

import { AppError, invalid, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatIp, fromIpKey, getSpaceKey, type IpKey, toIpKey } from '../../net/ip.ts'
import { lockCustom } from '../../resource/custom/engine.ts'
import { lockCustomOfDevices } from '../devices/custom.ts'
import { addAddresses, lockForAddresses } from '../devices/devices.ts'
import type { Device } from '../devices/schema.ts'
import { lockPlacementShared } from '../placement-lock.ts'
import {
  buildPoolSpace,
  createNoneLeftError,
  formatPoolName,
  type PoolRange,
  type PoolSpace,
  walkAvailableKeys,
} from '../pools/free-space.ts'
import { lockPoolRangeOrThrow } from '../pools/pools.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import type { Allocation, AllocationRequest, Reservation } from './api.ts'
import { purgeExpired, reserve } from './record.ts'

/** Another writer is faster only if pools overlap, or a device takes the same address. Both are temporary. */
const MAX_TRIES = 20

const isNext = (previous: IpKey | undefined, key: IpKey): boolean => {
  if (previous === undefined) return false
  const { family, value } = fromIpKey(previous)
  return toIpKey({ family, value: value + 1n }, getSpaceKey(previous)) === key
}

/** Returns the lowest free addresses, or the lowest contiguous run of them; fewer if there are not enough. */
const pick = async (keys: AsyncIterable<IpKey>, count: number, contiguous: boolean): Promise<IpKey[]> => {
  let picked: IpKey[] = []
  for await (const key of keys) {
    if (contiguous && !isNext(picked.at(-1), key)) picked = []
    picked.push(key)
    if (picked.length === count) break
  }
  return picked
}

/** The pool or the network of which addresses are allocated. */
export type Source = {
  readonly space: PoolSpace
  /** Begins the messages of errors. */
  readonly name: string
  readonly noneLeft: () => AppError
}

const toSource = (ctx: Ctx, pool: PoolRange): Source => ({
  space: buildPoolSpace(pool),
  name: formatPoolName(ctx, pool),
  noneLeft: () => createNoneLeftError(ctx, pool),
})

/** Claims the lowest free addresses until commit. @throws AppError IP_NOT_AVAILABLE if there are too few */
export const claimFree = async (
  ctx: Ctx,
  { space, name, noneLeft }: Source,
  { count, contiguous }: Pick<AllocationRequest, 'count' | 'contiguous'>,
): Promise<readonly IpKey[]> => {
  const findFree = async (isFresh: boolean): Promise<{ keys: readonly IpKey[]; cache: occupancy.BlockCache }> => {
    const cache = occupancy.getBlockCache(ctx, isFresh)
    const [keys, purged] = await Promise.all([
      pick(walkAvailableKeys(ctx, space, cache), count, contiguous),
      // Expired reservations are rare.
      purgeExpired(ctx, space.range, cache),
    ])
    return purged === 0 ? { keys, cache } : findFree(true)
  }

  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const { keys, cache } = await findFree(tries > 1)
    // The cached blocks may be outdated, so the first failure reads them again.
    if (keys.length < count && tries === 1) continue
    if (keys.length === 0) throw noneLeft()
    if (keys.length < count)
      throw new AppError(
        'IP_NOT_AVAILABLE',
        contiguous
          ? `${name} has no ${count} free addresses in a row`
          : `${name} has only ${keys.length} of ${count} addresses free`,
      )
    if (await occupancy.claim(ctx, keys, cache)) return keys
  }
  throw new AppError('UNAVAILABLE', `${name} is too busy; try again`)
}

const computeExpiry = (ctx: Ctx, ttlSeconds: number | undefined): string | null =>
  ttlSeconds === undefined ? null : new Date(Date.parse(ctx.now) + ttlSeconds * 1000).toISOString()

/** Errors of the values of a new address name the field of the request. */
const withOwnFields = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error
    throw invalid(
      error.details.map(({ field, message }) => ({
        field: field.replace(/^addresses\[\d+\]\.custom/, 'custom'),
        message,
      })),
    )
  }
}

/** The fields of an allocation that do not name its pool or network. */
export type Wanted = Omit<AllocationRequest, 'id'> & { readonly dns_name?: string | undefined }

/** Checks the fields together, and the permission for the device. */
export const checkWanted = (ctx: Ctx, { count, mac_address = '', device_id, ttl_seconds }: Wanted): void => {
  if (mac_address !== '' && count > 1) throw invalidField('mac_address', 'is for one address, not for several')
  if (!device_id) return
  ctx.require('devices:update')
  if (ttl_seconds !== undefined)
    throw invalidField('ttl_seconds', "is for reservations; an address of a device doesn't expire")
}

/** Takes the locks that come before the locks of pools. */
export const lockDefinitions = async (ctx: Ctx, { isForDevice }: { readonly isForDevice: boolean }): Promise<void> => {
  await lockCustom(ctx, 'addresses')
  if (isForDevice) await lockCustomOfDevices(ctx)
  await lockPlacementShared(ctx)
}

/** Locks the device that gets the addresses, if one is named. The locks of pools come before. */
export const lockReceiver = async (ctx: Ctx, { device_id }: Wanted): Promise<Device | undefined> => {
  const device = device_id ? await lockForAddresses(ctx, device_id) : undefined
  if (device_id && !device) throw invalidField('device_id', `there is no device with id "${device_id}"`)
  return device
}

/** A claimed address, and where it is. */
export type Claimed = {
  readonly ip: string
  readonly network_id: string
  readonly pool: Pick<PoolRange, 'id' | 'start_key'> | null
}

/** Adds claimed addresses to a device. */
export const give = async (
  ctx: Ctx,
  device: Device,
  { claimed, wanted }: { readonly claimed: readonly Claimed[]; readonly wanted: Wanted },
): Promise<Allocation> => {
  const { label = '', mac_address = '', dns_name = '', custom } = wanted
  const fields = { label, mac_address, dns_name, ...(custom && { custom }) }
  const added = claimed.map(({ ip, network_id, pool }) => ({ ip, network_id, pool_id: pool?.id ?? null, ...fields }))
  await withOwnFields(() => addAddresses(ctx, device, added))
  return { ips: claimed.map(({ ip }) => ip), reservations: [] }
}

/** Reserves claimed addresses of a pool. */
export const reserveIn = (
  ctx: Ctx,
  pool: Pick<PoolRange, 'id' | 'start_key'>,
  { ips, wanted }: { readonly ips: readonly string[]; readonly wanted: Wanted },
): Promise<Reservation[]> => {
  const { hostname = '', mac_address = '', purpose = '', ttl_seconds, custom = null } = wanted
  const expires_at = computeExpiry(ctx, ttl_seconds)
  const fields = { hostname, mac_address, purpose, notes: '', expires_at, refs: null, managed_by: '', custom }
  const drafts = ips.map((ip_address) => ({ ip_address, ...fields }))
  return reserve(ctx, { id: pool.id, space: getSpaceKey(pool.start_key) }, drafts)
}

/** @throws AppError IP_NOT_AVAILABLE if the pool has too few free addresses; then none is taken. */
export const allocate = async (ctx: Ctx, { id, ...wanted }: AllocationRequest): Promise<Allocation> => {
  checkWanted(ctx, wanted)
  await lockDefinitions(ctx, { isForDevice: Boolean(wanted.device_id) })
  const pool = await lockPoolRangeOrThrow(ctx, id)
  const device = await lockReceiver(ctx, wanted)
  const keys = await claimFree(ctx, toSource(ctx, pool), wanted)
  const ips = keys.map((key) => formatIp(fromIpKey(key)))
  if (!device) return { ips, reservations: await reserveIn(ctx, pool, { ips, wanted }) }
  const { network_id } = pool
  return give(ctx, device, { claimed: ips.map((ip) => ({ ip, network_id, pool })), wanted })
}
