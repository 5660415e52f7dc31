/** Work of a job that also runs as soon as something asks for it: once for all that asks until then. */
import type { Tables } from '../database/tables.ts'
import type { Ctx } from '../kernel/ctx.ts'
import type { Kernel } from '../kernel/kernel.ts'

export type AskedJob = {
  /** Does the work. One run at a time; changes since its start are seen by the next. */
  readonly run: (ctx: Ctx) => Promise<void>
  readonly ask: () => void
  /** Resolves when no run is left. */
  readonly close: () => Promise<void>
}

type Options = {
  readonly name: string
  readonly kernel: () => Kernel<Tables>
  readonly work: (ctx: Ctx) => Promise<void>
}

export const createAskedJob = ({ name, kernel, work }: Options): AskedJob => {
  let turn: Promise<void> = Promise.resolve()
  let isAsked = false
  let isClosed = false

  const run = (ctx: Ctx): Promise<void> => {
    const next = turn.then(() => (isClosed ? undefined : work(ctx)))
    // A failed run rejects for its caller; the next one starts fresh.
    turn = next.catch(() => {})
    return next
  }

  return {
    run,
    ask: () => {
      if (isAsked || isClosed) return
      isAsked = true
      setImmediate(() => {
        isAsked = false
        if (isClosed) return
        turn = kernel()
          .runJob({ name, summary: '', everyMs: 0, run })
          // The timer runs it again and logs failures.
          .catch(() => {})
      })
    },
    close: async () => {
      isClosed = true
      await turn
    },
  }
}
