/** An object that a proposal changes, and the operations that change it. */
import type { AppError, ErrorBody } from '../../contract/errors.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { Places } from '../review/places.ts'
import type { ProposalOperation } from '../schema.ts'
import type { EffectRow } from '../table.ts'

/** The documents are JSON, and undefined where the object does not exist. */
export type Effect = PlannedItem &
  Pick<EffectRow, 'name' | 'position' | 'operation' | 'hash'> & { readonly places: Places }

/** The columns of the history by which the views of an earlier moment find objects, of the document that the run leaves. */
export type EffectKeys = Pick<EffectRow, 'sort_key' | 'order_key' | 'derived' | 'child_id'>

/** The keys of an object that no view finds. */
export const NO_KEYS: EffectKeys = { sort_key: null, order_key: '', derived: null, child_id: null }

/** An effect of a run, as it is stored. */
export type NewEffect = Effect & { readonly keys: EffectKeys }

/** An operation of a proposal, as the row has it. The input is as it was sent, with the fields of the path. */
export type StoredOperation = Omit<ProposalOperation, 'input' | 'error'> & {
  readonly input: object
  readonly error: ErrorBody | null
}

/** The result of a run. */
export type RunOutcome = {
  readonly effects: readonly NewEffect[]
  /** The refusals, by the id of the operation. */
  readonly errors: ReadonlyMap<string, AppError>
  readonly answers: ReadonlyMap<string, unknown>
  /** The number of writes before each operation, as in `ctx.changeCount`. */
  readonly starts: ReadonlyMap<string, number>
  readonly fingerprint: string
  readonly at: string
  readonly baseSeq: number
  readonly scopesRevision: string
}
