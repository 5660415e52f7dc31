/** Splits a network: each free block of one length becomes a network in it, to which pools and addresses move. */

import { invalidField } from '../../contract/errors.ts'
import { MAX_NAME } from '../../contract/fields/fields.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Cidr, formatCidr } from '../../net/cidr.ts'
import { findAlignedBlocks } from '../../net/free-blocks.ts'
import { lockAllDefinitions } from '../../resource/custom/definitions.ts'
import type { CustomPatch } from '../../resource/custom/fields.ts'
import { copyCustom } from '../../resource/custom/rows.ts'
import { lockPlacement } from '../placement-lock.ts'
import { findSpaceKey } from '../spaces/keys.ts'
import type { Network } from './api.ts'
import { filterMovedCounts, lockContents, moveContents } from './contents.ts'
import { create, lockNetworkOrThrow } from './networks.ts'
import { checkPrefixLength, createNetworkObstacles } from './next-subnet.ts'
import { MAX_SUBNETS, type Moved } from './planning-api.ts'

/** Cuts the name so that the number has room, and never inside a character. */
const appendNumber = (name: string, number: number): string => {
  const suffix = ` ${number}`
  const cut = name.slice(0, MAX_NAME - suffix.length)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}${suffix}`
}

/** @throws AppError VALIDATION_ERROR unless there are 1 to 256 */
const planParts = async (ctx: Ctx, network: Network, prefixLength: number): Promise<Cidr[]> => {
  const cidr = checkPrefixLength(network, prefixLength)
  const parts: Cidr[] = []
  for await (const block of findAlignedBlocks(
    cidr,
    prefixLength,
    createNetworkObstacles(ctx, cidr, await findSpaceKey(ctx, network)),
  ))
    if (parts.push(block) > MAX_SUBNETS)
      throw invalidField('prefix_length', `would make more than ${MAX_SUBNETS} networks`)
  if (parts.length === 0)
    throw invalidField('prefix_length', `every /${prefixLength} of ${network.subnet} overlaps a network in it already`)
  return parts
}

export type Split = { readonly network: Network; readonly networks: Network[]; readonly moved: Moved }

type Splitting = {
  readonly id: string
  readonly prefix_length: number
  readonly custom?: CustomPatch | undefined
}

export const split = async (ctx: Ctx, { id, prefix_length, custom: given }: Splitting): Promise<Split> => {
  ctx.require('networks:update')
  await lockAllDefinitions(ctx)
  await lockPlacement(ctx)
  await lockContents(ctx, [id])
  const network = await lockNetworkOrThrow(ctx, id)
  ctx.precondition(network)
  await lockContents(ctx, [id])
  const parts = await planParts(ctx, network, prefix_length)
  const { datacenter_id, space_id = null, scanner } = network
  const fields = { vlan_id: null, datacenter_id, description: '', refs: null, managed_by: '', space_id, scanner }
  const networks: Network[] = []
  for (const [i, part] of parts.entries()) {
    const copy = { ...fields, name: appendNumber(network.name, i + 1), subnet: formatCidr(part) }
    const kept = { custom: network.custom, copy }
    const custom = given === null ? null : { ...(await copyCustom(ctx, 'networks', kept)), ...given }
    networks.push(await create(ctx, { ...copy, custom }))
  }
  return { network, networks, moved: filterMovedCounts(ctx, await moveContents(ctx, [network], networks)) }
}
