/** Stops a context from writing after another instance has taken over its work. The fence itself is passed in. */
import type { KernelCtx } from './context.ts'

/** Called first in each transaction. Throws if this instance lost the work; keeps others out until commit. */
export type Fence<Tables> = (ctx: KernelCtx<Tables>) => Promise<void>

/** Returns the context of a job in which every transaction begins with the fence. */
export const addFence = <Tables>(ctx: KernelCtx<Tables>, fence: Fence<Tables>): KernelCtx<Tables> => ({
  ...ctx,
  write: (work, options) =>
    ctx.write(async (inner) => {
      await fence(inner)
      return work(inner)
    }, options),
})
