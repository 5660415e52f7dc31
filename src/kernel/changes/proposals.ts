/** The interface of proposals for the kernel. The room of proposals implements it. */
import type { HistoryFields } from '../../contract/fields/history-fields.ts'
import type { Bound, KernelCtx } from '../context.ts'
import type { Request } from '../request.ts'

/** A write that is noted in a proposal, and not made. */
export type AskedProposal = {
  /** The id or the number of a proposal, `draft` or `open`. */
  readonly proposal: string
  readonly dryRun: HistoryFields['dryRun']
  readonly note: string
}

/** A transaction that is about to record its change, if it has one. */
export type Gated = {
  /** True for a call of an operation that takes `proposal`. */
  readonly canBeProposed: boolean
}

export type Proposals<Tables> = {
  /** Tries a write on top of a proposal, and notes it there. @returns the answer of the call */
  readonly add: (bound: Bound<Tables>, request: Request, asked: AskedProposal) => Promise<unknown>
  /** @throws AppError APPROVAL_REQUIRED for a change of objects that change by merges alone */
  readonly gate: (ctx: KernelCtx<Tables>, gated: Gated) => Promise<void>
}

/** For kernels without proposals. */
export const NO_PROPOSALS = {
  add: async (): Promise<never> => {
    throw new Error('this kernel has no proposals')
  },
  gate: async (): Promise<void> => {},
}
