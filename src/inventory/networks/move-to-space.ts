/** Moves a network to another address space, with its contents. */

import { type FieldIssue, rejectIssues } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { SpaceKey } from '../../net/ip.ts'
import { withSpace } from '../spaces/fields.ts'
import { findSpaceKey } from '../spaces/keys.ts'
import type { Network } from './api.ts'
import { store } from './store.ts'

/**
 * The data of `network.changing-space`, before the change, and of `network.changed-space`, after that of the network and its
 * pools. A feature refuses the change by adding an issue to the first.
 */
export type SpaceChange = {
  readonly before: Network
  readonly after: Network
  /** The keys of both spaces. */
  readonly from: SpaceKey
  readonly to: SpaceKey
  readonly issues: FieldIssue[]
}

/** @param network locked, in an existing space other than `space_id` */
export const moveToSpace = async (ctx: Ctx, network: Network, space_id: string | null): Promise<Network> => {
  const { space_id: _, ...fields } = network
  const after: Network = withSpace({ ...fields, updated_at: ctx.now }, space_id)
  const [from, to] = [await findSpaceKey(ctx, network), await findSpaceKey(ctx, after)]
  const change: SpaceChange = { before: network, after, from, to, issues: [] }
  await ctx.emit('network.locking-scans')
  await ctx.emit('network.changing-space', change)
  rejectIssues(change.issues)
  await store.write(ctx, [{ before: network, after }])
  await ctx.emit('network.changed-space', change)
  await ctx.emit('network.updated', { network: after, before: network, changes: ['space_id'] })
  return after
}
