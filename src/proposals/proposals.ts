/** Proposals: writes that are tried together, reviewed, and then merged as one change. */
import type { Tables } from '../database/tables.ts'
import type { Proposals } from '../kernel/changes/proposals.ts'
import { type Feature, implement } from '../kernel/ctx.ts'
import { proposals } from './api.ts'
import { describeProposal } from './describe.ts'
import { createJobs, type JobOptions } from './jobs.ts'
import type { Means } from './means.ts'
import { createAdd } from './operations/add.ts'
import * as change from './operations/change.ts'
import { create } from './operations/create.ts'
import { listItems } from './operations/items.ts'
import { list } from './operations/list.ts'
import { mergeHandler } from './operations/merge.ts'
import { listTimeline } from './operations/timeline.ts'
import { checkProtected } from './policies/gate.ts'
import { getVisibleOrThrow } from './review/sight.ts'

/** Returns the operations and the jobs of proposals. */
export const proposalsFeature = (means: Means, { config }: JobOptions): Feature => ({
  operations: implement(proposals, {
    list,
    create: (ctx, input) => means.inOrder(ctx.caller.userId ?? '', () => create(means, ctx, input)),
    get: async (ctx, { id }) => {
      const { row, sight } = await getVisibleOrThrow(ctx, id)
      return describeProposal({ ctx, means }, row, sight)
    },
    update: (ctx, input) => change.update(means, ctx, input),
    items: (ctx, input) => listItems(means, ctx, input),
    timeline: listTimeline,
    replaceOperation: (ctx, input) => change.replaceOperation(means, ctx, input),
    removeOperation: (ctx, input) => change.removeOperation(means, ctx, input),
    open: (ctx, { id }) => change.open(means, ctx, id),
    close: (ctx, input) => change.close(means, ctx, input),
    refresh: (ctx, { id }) => change.refresh(means, ctx, id),
    merge: mergeHandler(means),
  }),
  jobs: createJobs(means, { config }),
})

/** Returns the part of proposals that the kernel calls: for writes that are proposed, and before the commit of all others. */
export const createProposals = (means: Means): Proposals<Tables> => ({
  add: createAdd(means),
  gate: checkProtected,
})
