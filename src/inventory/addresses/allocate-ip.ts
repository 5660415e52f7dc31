/** Allocates free addresses of a network: to a device, or as reservations in the pools of the network. */

import { invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { checkWanted, give, lockReceiver, reserveIn } from '../reservations/allocate.ts'
import type { Allocation, Reservation } from '../reservations/api.ts'
import type { NetworkAllocationRequest } from './api.ts'
import { claimAddresses, openNetwork, withPools } from './claim.ts'

/** @throws AppError IP_NOT_AVAILABLE if too few addresses are free; then none is taken */
export const allocateIp = async (
  ctx: Ctx,
  { id, ip, create_pool, ...wanted }: NetworkAllocationRequest,
): Promise<Allocation> => {
  if (ip !== undefined && wanted.count > 1) throw invalidField('ip', 'is for one address, not for several')
  const isForDevice = Boolean(wanted.device_id)
  if (!isForDevice) ctx.require('reservations:create')
  checkWanted(ctx, wanted)
  const opened = await openNetwork(ctx, { id, ip, createsPool: create_pool && !isForDevice, isForDevice })
  const device = await lockReceiver(ctx, wanted)
  const claimed = await claimAddresses(ctx, opened, { ip, ...wanted })
  if (device) return give(ctx, device, { claimed, wanted })
  const pooled = await withPools(ctx, opened, claimed)
  const reservations: Reservation[] = []
  for (const [pool, all] of Map.groupBy(pooled, (one) => one.pool))
    reservations.push(...(await reserveIn(ctx, pool, { ips: all.map((one) => one.ip), wanted })))
  return { ips: claimed.map((one) => one.ip), reservations }
}
