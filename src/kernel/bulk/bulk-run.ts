/** Runs a bulk call by the rules of each item's operation; atomic, or each item separately. */
import type { z } from 'zod'
import { AppError, type FieldIssue, invalid, invalidField, MAX_ISSUES } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import { resolveRefs } from '../changes/resolve-refs.ts'
import type { KernelCtx } from '../context.ts'
import type { Permission } from '../operation.ts'
import { attemptEach, createItemErrors, type ItemError } from './attempt.ts'

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
  error?: ItemError
} & { [K in Noun]?: T }

const STATUS = { create: 'created', update: 'updated', delete: 'deleted' } as const

/** Prefixes the field names of an item with its position in the call: `name` becomes `operations[3].device.name`. */
const toBulkIssues = (error: AppError, index: number, noun: string): FieldIssue[] => {
  const at = `operations[${index}]`
  if (error.details.length === 0) return [{ field: at, message: error.message }]
  return error.details.map(({ field, message }) => ({
    field: field === 'id' ? `${at}.id` : `${at}.${noun}.${field}`,
    message,
  }))
}

/** @throws AppError FORBIDDEN; VALIDATION_ERROR with the errors of every item if `atomic` and any is bad */
export const runBulk = async <Tables, const Noun extends string, Draft extends z.ZodType, Patch extends z.ZodType, T>(
  ctx: KernelCtx<Tables>,
  { operations, atomic }: Input,
  rules: BulkRules<KernelCtx<Tables>, Noun, Draft, Patch, T>,
) => {
  for (const op of new Set(operations.map((item) => item.op))) ctx.require(`${rules.permissions}:${op}`)

  const runOne = async (item: Item): Promise<T | undefined> => {
    const body = item[rules.noun]
    const fields = typeof body === 'object' && body !== null ? body : {}
    const permission: Permission = `${rules.permissions}:${item.op}`
    if (item.op === 'create') {
      const { schema, run } = rules.create
      const given = item.id === undefined ? fields : { id: item.id, ...fields }
      const input = parse(schema, await resolveRefs(ctx, schema, given))
      return ctx.checkScope({ permission, schema, params: [], isCreate: true, input, given }, () => run(ctx, input))
    }
    if (!item.id) throw invalidField('id', 'is required')
    const { schema, run } = rules.update
    const given = { ...fields, id: item.id }
    const resolved = await resolveRefs(ctx, schema, given)
    const guard = { permission, schema, params: ['id'], isCreate: false, given }
    if (item.op === 'update') {
      const input = parse(schema, resolved)
      return ctx.checkScope({ ...guard, input }, () => run(ctx, input))
    }
    const { id } = resolved
    await ctx.checkScope({ ...guard, input: { id } }, () => rules.remove(ctx, id))
    return undefined
  }

  const results: Result<Noun, T>[] = []
  const issues: FieldIssue[] = []
  let bad = 0
  const itemError = createItemErrors()
  for await (const { index, item, outcome } of attemptEach(ctx, operations, { isAtomic: atomic, run: runOne })) {
    const isFailed = outcome instanceof AppError
    if (isFailed) {
      bad += Math.max(1, outcome.total)
      if (issues.length < MAX_ISSUES) issues.push(...toBulkIssues(outcome, index, rules.noun))
    }
    // TypeScript loses the type of a computed key; the key is the noun. A failed or deleted item has no object.
    results.push({
      index,
      ...(isFailed
        ? { status: 'failed', error: itemError(outcome) }
        : { status: STATUS[item.op], ...(outcome && { [rules.noun]: outcome }) }),
    } as Result<Noun, T>)
  }
  if (atomic && issues.length > 0) throw invalid(issues, bad)
  const failed = results.filter(({ status }) => status === 'failed').length
  return { results, succeeded: results.length - failed, failed }
}
