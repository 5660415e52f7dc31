/** Finds the lowest free subnets of a network: they overlap no network in it and none of its pools, and have no taken address. */
import { type Cidr, cidrKeys, cidrOfText } from '../../net/cidr.ts'
import { nextBlocks, type ObstacleIn, obstaclesOf } from '../../net/free-blocks.ts'
import { bitsOf, ipFromKey, ipKey, type SpaceKey } from '../../net/ip.ts'
import { mergeSpans } from '../../net/span.ts'
import { AppError, invalidField } from '../../platform/contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import { spaceKeyOf } from '../spaces/keys.ts'
import type { Network } from './api.ts'
import * as tree from './tree-store.ts'

/** @throws AppError VALIDATION_ERROR for a length that no subnet of the network has */
export const checkPrefixLength = ({ subnet }: Network, prefixLength: number): Cidr => {
  const cidr = cidrOfText(subnet)
  const bits = bitsOf(cidr.family)
  if (cidr.prefix === bits) throw invalidField('prefix_length', `is of no subnet: ${subnet} has one address`)
  if (prefixLength <= cidr.prefix || prefixLength > bits)
    throw invalidField('prefix_length', `must be ${cidr.prefix + 1}-${bits} in ${subnet}`)
  return cidr
}

/** Finds the networks in a block, by stepping from one to the next. */
export const networksIn = (ctx: Ctx, cidr: Cidr, space: SpaceKey): ObstacleIn => {
  const { first: first_key, last: last_key } = cidrKeys(cidr, space)
  let next = cidr.first
  return obstaclesOf(async () => {
    if (next > cidr.last) return { spans: [], areAll: true }
    const from = ipKey({ family: cidr.family, value: next }, space)
    const page = await tree.nextInside(ctx, { first_key, last_key, prefix: cidr.prefix }, from)
    next = (page.spans.at(-1)?.last ?? cidr.last) + 1n
    return page
  })
}

const poolsIn = (ctx: Ctx, { id }: Network): ObstacleIn =>
  obstaclesOf(async () => {
    const pools = await tree.poolsOf(ctx, id)
    const spans = pools.map(({ start_key, end_key }) => ({
      first: ipFromKey(start_key).value,
      last: ipFromKey(end_key).value,
    }))
    return { spans: mergeSpans(spans), areAll: true }
  })

const takenIn = (ctx: Ctx, cidr: Cidr, space: SpaceKey): ObstacleIn => {
  const { last } = cidrKeys(cidr, space)
  return obstaclesOf((from) => tree.nextTaken(ctx, { first: ipKey({ family: cidr.family, value: from }, space), last }))
}

export type Wanted = { readonly prefix_length: number; readonly count: number }

/** @throws AppError VALIDATION_ERROR; IP_NOT_AVAILABLE if there are fewer than wanted */
export const nextSubnets = async (ctx: Ctx, network: Network, { prefix_length, count }: Wanted): Promise<Cidr[]> => {
  const cidr = checkPrefixLength(network, prefix_length)
  const space = await spaceKeyOf(ctx, network)
  const obstacles = [networksIn(ctx, cidr, space), poolsIn(ctx, network), takenIn(ctx, cidr, space)]
  const obstacleIn: ObstacleIn = async (block) => {
    for (const find of obstacles) {
      const found = await find(block)
      if (found) return found
    }
    return undefined
  }
  const subnets: Cidr[] = []
  for await (const block of nextBlocks(cidr, prefix_length, obstacleIn))
    if (subnets.push(block) === count) return subnets
  const { name, subnet } = network
  throw new AppError(
    'IP_NOT_AVAILABLE',
    subnets.length === 0
      ? `The network "${name}" (${subnet}) has no free /${prefix_length}`
      : `The network "${name}" (${subnet}) has only ${subnets.length} of ${count} free /${prefix_length}`,
  )
}
