/** Runs a bulk call by the rules of each item's operation; atomic, or each item alone. */
import type { z } from 'zod'
import {
  type AppError,
  type ErrorBody,
  type FieldIssue,
  invalid,
  invalidField,
  toAppError,
} from '../contract/errors.ts'
import { parse } from '../contract/validate.ts'
import { pause } from '../runtime/pause.ts'
import type { KernelCtx } from './context.ts'

/** Items that run before the event loop gets control: some milliseconds of work. */
const ITEMS_PER_TURN = 10

type Item = {
  readonly op: 'create' | 'update' | 'delete'
  readonly id?: string | undefined
  readonly [field: string]: unknown
}
type Input = { readonly operations: readonly Item[]; readonly atomic: boolean }

type Verb<Ctx, S extends z.ZodType, T> = {
  readonly schema: S
  readonly run: (ctx: Ctx, input: z.output<S>) => Promise<T>
}

export type BulkRules<Ctx, Noun extends string, Draft extends z.ZodType, Patch extends z.ZodType, T> = {
  /** The field of an item that holds the object: `device`. */
  readonly noun: Noun
  /** The resource of the permissions: `devices`. */
  readonly permissions: string
  readonly create: Verb<Ctx, Draft, T>
  readonly update: Verb<Ctx, Patch, T>
  readonly remove: (ctx: Ctx, id: string) => Promise<void>
}

type Result<Noun extends string, T> = {
  index: number
  status: 'created' | 'updated' | 'deleted' | 'failed'
  error?: { code: ErrorBody['code']; error: string; details: FieldIssue[] }
} & { [K in Noun]?: T }

const STATUS = { create: 'created', update: 'updated', delete: 'deleted' } as const

/** Prefixes the field names of an item with its position in the call: `name` becomes `operations[3].device.name`. */
const placed = (error: AppError, index: number, noun: string): FieldIssue[] => {
  const at = `operations[${index}]`
  if (error.details.length === 0) return [{ field: at, message: error.message }]
  return error.details.map(({ field, message }) => ({
    field: field === 'id' ? `${at}.id` : `${at}.${noun}.${field}`,
    message,
  }))
}

/**
 * @throws AppError FORBIDDEN if one of the operations needs a permission that the caller lacks; VALIDATION_ERROR with the
 * errors of every item if `atomic` and any item is bad.
 */
export const runBulk = async <Tables, const Noun extends string, Draft extends z.ZodType, Patch extends z.ZodType, T>(
  ctx: KernelCtx<Tables>,
  { operations, atomic }: Input,
  rules: BulkRules<KernelCtx<Tables>, Noun, Draft, Patch, T>,
) => {
  for (const op of new Set(operations.map((item) => item.op))) ctx.require(`${rules.permissions}:${op}`)

  const runOne = async (item: Item): Promise<T | undefined> => {
    const body = item[rules.noun]
    const fields = typeof body === 'object' && body !== null ? body : {}
    if (item.op === 'create') {
      const named = item.id === undefined ? fields : { id: item.id, ...fields }
      return rules.create.run(ctx, parse(rules.create.schema, named))
    }
    if (!item.id) throw invalidField('id', 'is required')
    if (item.op === 'update') return rules.update.run(ctx, parse(rules.update.schema, { ...fields, id: item.id }))
    await rules.remove(ctx, item.id)
    return undefined
  }

  const results: Result<Noun, T>[] = []
  const issues: FieldIssue[] = []
  for (const [index, item] of operations.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await pause()
    try {
      const value = await ctx.savepoint(() => runOne(item))
      const object = value === undefined ? {} : { [rules.noun]: value }
      // TypeScript loses the type of a computed key; the key is the noun.
      results.push({ index, status: STATUS[item.op], ...object } as Result<Noun, T>)
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code === 'INTERNAL_ERROR') throw thrown
      issues.push(...placed(error, index, rules.noun))
      // A failed item has no object. The schema of every noun permits that.
      results.push({ index, status: 'failed', error: { ...error.toBody(), details: [...error.details] } } as Result<
        Noun,
        T
      >)
    }
  }
  if (atomic && issues.length > 0) throw invalid(issues)
  const failed = results.filter(({ status }) => status === 'failed').length
  return { results, succeeded: results.length - failed, failed }
}
