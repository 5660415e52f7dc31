/** Proposals: writes that are tried together, reviewed, and then merged as one change. */
import type { Tables } from '../database/tables.ts'
import type { Proposals } from '../kernel/changes/proposals.ts'
import { type Feature, implement } from '../kernel/ctx.ts'
import { proposals } from './api.ts'
import { createAnswer } from './describe.ts'
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
export const proposalsFeature = (means: Means, { config }: JobOptions): Feature => {
  const answer = createAnswer(means)
  return {
    operations: implement(proposals, {
      list,
      create: answer(create(means)),
      get: answer((ctx, { id }: { readonly id: string }) => getVisibleOrThrow(ctx, id)),
      update: change.update(means),
      items: listItems(means),
      timeline: listTimeline,
      replaceOperation: answer(change.replaceOperation(means)),
      removeOperation: change.removeOperation(means),
      open: answer(change.open(means)),
      close: answer(change.close),
      refresh: answer(change.refresh(means)),
      merge: mergeHandler(means),
    }),
    jobs: createJobs(means, { config }),
  }
}

/** Returns the part of proposals that the kernel calls: for writes that are proposed, and before the commit of all others. */
export const createProposals = (means: Means): Proposals<Tables> => ({
  add: createAdd(means),
  gate: checkProtected,
})
