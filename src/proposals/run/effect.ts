/** An object that a proposal changes, and the operations that change it. */
import type { AppError, ErrorBody } from '../../contract/errors.ts'
import type { ItemChange } from '../../kernel/changes/change-record.ts'
import type { Places } from '../review/places.ts'

export type Effect = {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly change: ItemChange
  /** In the order of the first writes. */
  readonly position: number
  /** The id of the operation that wrote it first. */
  readonly operation: string
  /** The documents as JSON; undefined where the object does not exist. */
  readonly before: string | undefined
  readonly document: string | undefined
  readonly hash: string
  readonly places: Places
}

/** The columns of the history by which the views of an earlier moment find objects, of the document that the run leaves. */
export type EffectKeys = {
  readonly sort_key: string | null
  readonly order_key: string
  readonly derived: string | null
  readonly child_id: string | null
}

/** The keys of an object that no view finds. */
export const NO_KEYS: EffectKeys = { sort_key: null, order_key: '', derived: null, child_id: null }

/** An effect of a run, as it is stored. */
export type NewEffect = Effect & { readonly keys: EffectKeys }

/** An operation of a proposal, as the row has it. */
export type StoredOperation = {
  readonly id: string
  readonly operation: string
  /** As it was sent, with the fields of the path. */
  readonly input: object
  readonly note: string
  readonly added_by: string
  readonly added_at: string
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
