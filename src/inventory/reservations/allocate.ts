/** Allocates free addresses: chooses, claims and records them in one transaction, so that no other caller gets them. */

import { AppError, invalid, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatIp, fromIpKey, getSpaceKey, type IpKey, toIpKey } from '../../net/ip.ts'
import { lockCustom } from '../../resource/custom/engine.ts'
import { lockCustomOfDevices } from '../devices/custom.ts'
import { addAddresses, lockForAddresses } from '../devices/devices.ts'
import { lockPlacementShared } from '../placement-lock.ts'
import {
  buildPoolSpace,
  createNoneLeftError,
  formatPoolName,
  type PoolRange,
  walkAvailableKeys,
} from '../pools/free-space.ts'
import { lockPoolRangeOrThrow } from '../pools/pools.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import type { Allocation, AllocationRequest } from './api.ts'
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

const claimFree = async (
  ctx: Ctx,
  pool: PoolRange,
  { count, contiguous }: AllocationRequest,
): Promise<readonly IpKey[]> => {
  const space = buildPoolSpace(pool)
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
    if (keys.length === 0) throw createNoneLeftError(ctx, pool)
    if (keys.length < count)
      throw new AppError(
        'IP_NOT_AVAILABLE',
        contiguous
          ? `${formatPoolName(ctx, pool)} has no ${count} free addresses in a row`
          : `${formatPoolName(ctx, pool)} has only ${keys.length} of ${count} addresses free`,
      )
    if (await occupancy.claim(ctx, keys, cache)) return keys
  }
  throw new AppError('UNAVAILABLE', `${formatPoolName(ctx, pool)} is too busy; try again`)
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

/** @throws AppError IP_NOT_AVAILABLE if the pool has too few free addresses; then none is taken. */
export const allocate = async (ctx: Ctx, request: AllocationRequest): Promise<Allocation> => {
  const { device_id, label = '', hostname = '', mac_address = '', purpose = '' } = request
  if (mac_address !== '' && request.count > 1) throw invalidField('mac_address', 'is for one address, not for several')
  if (device_id) {
    ctx.require('devices:update')
    if (request.ttl_seconds !== undefined)
      throw invalidField('ttl_seconds', "is for reservations; an address of a device doesn't expire")
  }
  await lockCustom(ctx, 'addresses')
  if (device_id) await lockCustomOfDevices(ctx)
  await lockPlacementShared(ctx)
  const pool = await lockPoolRangeOrThrow(ctx, request.id)
  const device = device_id ? await lockForAddresses(ctx, device_id) : undefined
  if (device_id && !device) throw invalidField('device_id', `there is no device with id "${device_id}"`)
  const keys = await claimFree(ctx, pool, request)
  const ips = keys.map((key) => formatIp(fromIpKey(key)))
  if (device) {
    const { network_id, id: pool_id } = pool
    const fields = { label, mac_address, network_id, pool_id, ...(request.custom && { custom: request.custom }) }
    await withOwnFields(() =>
      addAddresses(
        ctx,
        device,
        ips.map((ip) => ({ ip, ...fields })),
      ),
    )
    return { ips, reservations: [] }
  }
  const fields = {
    hostname,
    mac_address,
    purpose,
    notes: '',
    expires_at: computeExpiry(ctx, request.ttl_seconds),
    refs: null,
    managed_by: '',
    custom: request.custom ?? null,
  }
  return {
    ips,
    reservations: await reserve(
      ctx,
      { id: pool.id, space: getSpaceKey(pool.start_key) },
      ips.map((ip_address) => ({ ip_address, ...fields })),
    ),
  }
}
