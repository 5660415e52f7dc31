/** The interface of the history for the kernel. The history feature implements it. */
import type { Kysely } from 'kysely'
import type { Db } from '../../database/database.ts'
import type { KernelCtx } from '../context.ts'
import type { RecordedItem } from './change-record.ts'

/** The origin of a change. The context has its caller, its client's address and its request. */
export type ChangeOrigin = {
  readonly id: string
  /** The name of the operation, the route or the job. */
  readonly operation: string
  /** The MCP tool; '' without one. */
  readonly tool: string
  readonly note: string
  readonly undoes: string | null
  /** The proposal that it merges; '' without one. */
  readonly proposalId: string
}

/** The database as it was at a moment. */
export type Past<Tables> = {
  readonly db: Kysely<Tables>
  readonly store: Db<Tables>
  /** The moment in RFC 3339, UTC, with milliseconds. */
  readonly at: string
}

export type History<Tables> = {
  /** Writes a change and its items in the transaction of `ctx`. */
  readonly record: (ctx: KernelCtx<Tables>, origin: ChangeOrigin, items: readonly RecordedItem[]) => Promise<void>
  /** Returns a change of this transaction as a preview: without id and time. @param id '' for one that alters nothing */
  readonly preview: (ctx: KernelCtx<Tables>, id: string) => Promise<unknown>
  /**
   * @param moment as the caller wrote it
   * @param hidden resources without an object in this past
   * @throws AppError VALIDATION_ERROR on `as_of`
   */
  readonly past: (ctx: KernelCtx<Tables>, moment: string, hidden?: readonly string[]) => Promise<Past<Tables>>
}

const withoutPast = async (): Promise<never> => {
  throw new Error('this kernel has no history')
}

/** For kernels with features that have no objects with a history. */
export const NO_HISTORY = { record: withoutPast, preview: withoutPast, past: withoutPast }
