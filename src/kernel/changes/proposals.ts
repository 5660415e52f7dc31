/** The interface of proposals for the kernel. The room of proposals implements it. */
import type { HistoryFields } from '../../contract/fields/history-fields.ts'
import type { Bound, InTransaction, KernelCtx } from '../context.ts'
import type { Request } from '../request.ts'
import type { PlanLimits, PlannedItem } from './change-record.ts'
import type { NewIds } from './new-ids.ts'

/** A write that is noted in a proposal, and not made. */
export type AskedProposal = {
  /** The id or the number of a proposal, `draft` or `open`. */
  readonly proposal: string
  readonly dryRun: HistoryFields['dryRun']
  readonly note: string
}

/** A transaction that is about to record its change. */
export type Gated = {
  /** The name of the operation, the route or the job. */
  readonly name: string
}

/** The terms of a call that compares what it does with what it was said to do. */
export type Compared<Tables> = {
  readonly limits: PlanLimits
  /** The ids of its new objects. */
  readonly ids: NewIds
  /** Called in the transaction, before the work. */
  readonly begin: InTransaction<Tables, void>
  /** Called at the end of the transaction, with all that it changes. If it throws, the transaction is rolled back. */
  readonly end: (ctx: KernelCtx<Tables>, items: readonly PlannedItem[]) => Promise<void>
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
