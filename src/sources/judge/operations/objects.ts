/** The operations on the objects that sources say, and the marks of rows with objects that change. */
import { type Feature, implement } from '../../../kernel/ctx.ts'
import type { Means } from '../../../record/history/kinds.ts'
import { sourceObjects } from '../../api.ts'
import { staleMarks } from '../stale.ts'
import { createApplyHandler } from './apply.ts'
import { linkObjects } from './link.ts'
import { listObjects } from './list.ts'

export const sourceObjectsFeature = (means: Means): Feature => ({
  operations: implement(sourceObjects, { objects: listObjects, apply: createApplyHandler(means), link: linkObjects }),
  ...staleMarks,
})
