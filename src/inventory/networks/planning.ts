/** Plans subnets: shows the tree of networks, allocates subnets, splits networks and merges them. */

import { invalidField } from '../../contract/errors.ts'
import { MAX_NAME } from '../../contract/fields/fields.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { formatCidr } from '../../net/cidr.ts'
import { lockCustom } from '../../resource/custom/engine.ts'
import { lockPlacement } from '../placement-lock.ts'
import type { Network } from './api.ts'
import { merge } from './merge.ts'
import { create, getNetworkOrThrow, lockNetworkOrThrow } from './networks.ts'
import { findNextSubnets } from './next-subnet.ts'
import { planning, type SubnetAllocation } from './planning-api.ts'
import { split } from './split.ts'
import { loadTree } from './tree.ts'

/** Returns the name of each subnet. @throws AppError VALIDATION_ERROR for a name that has no room for a number */
const buildNames = (subnets: readonly string[], name: string | undefined): string[] => {
  if (name === undefined) return [...subnets]
  if (subnets.length === 1) return [name]
  const names = subnets.map((_, i) => `${name}-${i + 1}`)
  if (names.some((one) => one.length > MAX_NAME))
    throw invalidField('name', `must have at most ${MAX_NAME} characters with the number behind it`)
  return names
}

/** @throws AppError IP_NOT_AVAILABLE if there are too few free subnets; then none is taken */
const allocate = async (ctx: Ctx, request: SubnetAllocation): Promise<{ networks: Network[] }> => {
  await lockCustom(ctx, 'networks')
  await lockPlacement(ctx)
  // No pool is created in it until commit.
  const parent = await lockNetworkOrThrow(ctx, request.id)
  const subnets = (await findNextSubnets(ctx, parent, request)).map(formatCidr)
  const names = buildNames(subnets, request.name)
  const { vlan_id, datacenter_id = parent.datacenter_id, description, custom } = request
  const { space_id = null, scanner } = parent
  const fields = { vlan_id, datacenter_id, description, refs: null, managed_by: '', space_id, scanner, custom }
  const networks: Network[] = []
  for (const [i, subnet] of subnets.entries())
    networks.push(await create(ctx, { ...fields, name: names[i] ?? subnet, subnet }))
  return { networks }
}

export const feature: Feature = {
  operations: implement(planning, {
    tree: (ctx, { id }) => loadTree(ctx, id),
    nextSubnet: async (ctx, { id, ...wanted }) => {
      const subnets = await findNextSubnets(ctx, await getNetworkOrThrow(ctx, id), wanted)
      return { subnets: subnets.map(formatCidr) }
    },
    allocate,
    split,
    merge,
  }),
}
