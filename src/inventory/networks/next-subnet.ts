/**
 * Finds the lowest free subnets of a network: they overlap no network in it and no pool of a part of it, and have no taken
 * address.
 */

import { AppError, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Cidr, getHostSpan, parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { createObstacleFinder, findAlignedBlocks, type ObstacleIn } from '../../net/free-blocks.ts'
import { fromIpKey, getAddressBits, type SpaceKey, toIpKey } from '../../net/ip.ts'
import { mergeSpans } from '../../net/span.ts'
import { findSpaceKey } from '../spaces/keys.ts'
import type { Network } from './api.ts'
import * as tree from './tree-store.ts'

/** @throws AppError VALIDATION_ERROR for a length that no subnet of the network has */
export const checkPrefixLength = ({ subnet }: Network, prefixLength: number): Cidr => {
  const cidr = parseCidrOrThrow(subnet)
  const bits = getAddressBits(cidr.family)
  if (cidr.prefix === bits) throw invalidField('prefix_length', `is of no subnet: ${subnet} has one address`)
  if (prefixLength <= cidr.prefix || prefixLength > bits)
    throw invalidField('prefix_length', `must be ${cidr.prefix + 1}-${bits} in ${subnet}`)
  return cidr
}

/** Finds the networks in a block, by stepping from one to the next. */
export const createNetworkObstacles = (ctx: Ctx, cidr: Cidr, space: SpaceKey): ObstacleIn => {
  const { first: first_key, last: last_key } = toCidrKeys(cidr, space)
  let next = cidr.first
  return createObstacleFinder(async () => {
    if (next > cidr.last) return { spans: [], areAll: true }
    const from = toIpKey({ family: cidr.family, value: next }, space)
    const page = await tree.findNextInside(ctx, { first_key, last_key, prefix: cidr.prefix }, from)
    next = (page.spans.at(-1)?.last ?? cidr.last) + 1n
    return page
  })
}

/** Finds the pools that set a part of the network aside: a pool of all its usable addresses sets nothing aside. */
const createPoolObstacles = (ctx: Ctx, { id }: Network, cidr: Cidr): ObstacleIn =>
  createObstacleFinder(async () => {
    const usable = getHostSpan(cidr)
    const spans = (await tree.findPools(ctx, id))
      .map(({ start_key, end_key }) => ({ first: fromIpKey(start_key).value, last: fromIpKey(end_key).value }))
      .filter(({ first, last }) => first > usable.first || last < usable.last)
    return { spans: mergeSpans(spans), areAll: true }
  })

const createTakenObstacles = (ctx: Ctx, cidr: Cidr, space: SpaceKey): ObstacleIn => {
  const { last } = toCidrKeys(cidr, space)
  return createObstacleFinder((from) =>
    tree.findNextTaken(ctx, { first: toIpKey({ family: cidr.family, value: from }, space), last }),
  )
}

export type Wanted = { readonly prefix_length: number; readonly count: number }

/** @throws AppError VALIDATION_ERROR; IP_NOT_AVAILABLE if there are fewer than wanted */
export const findNextSubnets = async (
  ctx: Ctx,
  network: Network,
  { prefix_length, count }: Wanted,
): Promise<Cidr[]> => {
  const cidr = checkPrefixLength(network, prefix_length)
  const space = await findSpaceKey(ctx, network)
  const obstacles = [
    createNetworkObstacles(ctx, cidr, space),
    createPoolObstacles(ctx, network, cidr),
    createTakenObstacles(ctx, cidr, space),
  ]
  const obstacleIn: ObstacleIn = async (block) => {
    for (const find of obstacles) {
      const found = await find(block)
      if (found) return found
    }
    return undefined
  }
  const subnets: Cidr[] = []
  for await (const block of findAlignedBlocks(cidr, prefix_length, obstacleIn))
    if (subnets.push(block) === count) return subnets
  const { name, subnet } = network
  throw new AppError(
    'IP_NOT_AVAILABLE',
    subnets.length === 0
      ? `The network "${name}" (${subnet}) has no free /${prefix_length}`
      : `The network "${name}" (${subnet}) has only ${subnets.length} of ${count} free /${prefix_length}`,
  )
}
