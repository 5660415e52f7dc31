/** Parses a row of an import, and tries it so that its failure rolls back only its own changes. */
import type { z } from 'zod'
import type { Breathe } from '../../base/runtime/pause.ts'
import { AppError, invalidField } from '../../contract/errors.ts'
import type { RowRules } from '../../contract/fields/row-rules.ts'
import { listUnknownFields, parse } from '../../contract/validate.ts'
import { attempt } from '../../kernel/bulk/attempt.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { AddressMoves } from './import-moves.ts'

export type Row = {
  readonly row: number
  readonly value: Readonly<Record<string, unknown>>
  /** Set for a device with ports in another list: the time of its creation. It gets no ports of its type. */
  readonly ownPorts?: string
}
export type Done = 'created' | 'updated' | 'unchanged'
export type Outcome = Done | AppError

/** Fields that an export contains and a create does not accept. */
const READ_ONLY = new Set(['id', 'created_at', 'updated_at', 'created_by', 'utilization', 'network_ids'])

/** @throws AppError VALIDATION_ERROR for an unknown field, so that a typo is noticed. */
export const checkFields = (schema: z.ZodType, value: unknown): void => {
  const [unknown] = listUnknownFields(schema, value).filter((field) => !READ_ONLY.has(field))
  if (unknown !== undefined) throw invalidField(unknown, 'is not a field of this resource')
}

/** Returns a row as the schema parses it, or its error. */
export const parseRow = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> | AppError => {
  try {
    checkFields(schema, value)
    return parse(schema, value)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** Tries a row. An import is atomic, so an error of the server is thrown. */
export const tryRow = (ctx: Ctx, work: () => Promise<Done>): Promise<Outcome> => attempt(ctx, work, true)

/** Returns the context in which a row finds its object: that of the objects that the caller knows. */
export type Lookup = () => Promise<Ctx>

/** The state that the batches of an import share. */
export type Batching = {
  /** Called regularly, so that other requests run. */
  readonly breathe: Breathe
  readonly rules: RowRules
  readonly moves: AddressMoves
}

/** Returns one outcome per row, in order, and rolls back the effects of failed rows. */
export type Importer = (ctx: Ctx, rows: readonly Row[], batching: Batching, lookup: Lookup) => Promise<Outcome[]>
