/** A row of an import, what becomes of it, and how it is tried so that its failure undoes only itself. */
import type { z } from 'zod'
import { AppError, invalidField } from '../../platform/contract/errors.ts'
import { parse, unknownFields } from '../../platform/contract/validate.ts'
import type { Ctx } from '../ctx.ts'

export type Row = { readonly row: number; readonly value: Readonly<Record<string, unknown>> }
export type Done = 'created' | 'updated' | 'unchanged'
export type Outcome = Done | AppError

/** What an export adds to a row and no create takes. */
const READ_ONLY = new Set(['id', 'created_at', 'updated_at', 'created_by', 'utilization'])

/** @throws AppError VALIDATION_ERROR for a field that the contract doesn't know: a typo must not pass silently. */
export const checkFields = (schema: z.ZodType, value: unknown): void => {
  const [unknown] = unknownFields(schema, value).filter((field) => !READ_ONLY.has(field))
  if (unknown !== undefined) throw invalidField(unknown, 'is not a field of this resource')
}

/** A row as the schema reads it, or what is wrong with it. */
export const parseRow = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> | AppError => {
  try {
    checkFields(schema, value)
    return parse(schema, value)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** What `work` made, or the error that it ended with and that undid it; a bug stays a bug. */
export const attempt = async (ctx: Ctx, work: () => Promise<Done>): Promise<Outcome> => {
  try {
    return await ctx.savepoint(work)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}
