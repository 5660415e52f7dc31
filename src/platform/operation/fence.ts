/** Keeps a context from writing once somebody else does its work. Knows nothing of who decides that. */
import type { KernelCtx } from './context.ts'

/** Asked first in each transaction. It throws where the work is no longer ours, and keeps others from taking it until commit. */
export type Fence<Tables> = (ctx: KernelCtx<Tables>) => Promise<void>

/** The context of a job, whose every transaction begins with the fence. */
export const fenced = <Tables>(ctx: KernelCtx<Tables>, fence: Fence<Tables>): KernelCtx<Tables> => ({
  ...ctx,
  write: (work, options) =>
    ctx.write(async (inner) => {
      await fence(inner)
      return work(inner)
    }, options),
})
