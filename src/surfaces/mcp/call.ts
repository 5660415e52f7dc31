/** Runs one tool call. Every failure becomes a result that a model can read. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Logger } from '../../base/runtime/log.ts'
import { canPropose } from '../../contract/can-propose.ts'
import { getToolName } from '../../contract/command-name.ts'
import { AppError, invalid, invalidField, orNotFound, shorten, toAppError, toErrorBody } from '../../contract/errors.ts'
import { asksForProposal } from '../../contract/fields/history-fields.ts'
import type { DescribeCustom } from '../../contract/json-schema.ts'
import { formatFieldName, listUnknownFields, parse } from '../../contract/validate.ts'
import type { ReadPoint } from '../../database/database.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Bound } from '../../kernel/context.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AnyOperation, OperationSet, Permission } from '../../kernel/operation.ts'
import type { Request } from '../../kernel/request.ts'
import { checkAccess, getAdmission, InsufficientScopeError, offerProposal } from '../../kernel/rights/access.ts'
import type { Rights } from '../../kernel/rights/rights.ts'
import { runInTurn } from '../../kernel/turn.ts'
import { listAnswerFields, listIn } from './output.ts'
import { toOperationSets, withIds } from './references.ts'
import { createSearch, type SearchOperations } from './search.ts'
import { limitSize, type Shaped, shape } from './shape.ts'
import { APPLY_TOOL, CALL_TOOL, DEFAULT_ROWS, isPaged, isWithheld, needsPlan, SEARCH_TOOL } from './tools.ts'

/** The caller and the request of a tool call. */
export type CallContext = {
  readonly caller: Caller
  readonly rights?: Rights | undefined
  /** The state from which the caller was identified. */
  readonly readPoint?: ReadPoint | undefined
  readonly requestId: string
  readonly client: string
  readonly signal: AbortSignal
  readonly log: Logger
  /** Returns the custom fields that are defined now. Without it, there are none. */
  readonly describeCustom?: () => Promise<DescribeCustom | undefined>
  /** Called with the permissions that the client lacks and its user has. Each of them would suffice. */
  readonly insufficientScope?: (permissions: readonly Permission[]) => void
}

/** An operation with data about its contract, computed once. */
type Entry<Tables> = {
  readonly bound: Bound<Tables>
  readonly isPaged: boolean
  readonly needsPlan: boolean
  readonly listIn: string | undefined
  readonly answerFields: readonly string[]
}

/** Makes and applies plans: changes that are shown before they are made. */
export type Plans<Tables> = {
  /** Returns the changes that the call would make, and the id of the plan. */
  readonly make: (bound: Bound<Tables>, request: Request) => Promise<Shaped>
  readonly apply: (planId: string, request: Omit<Request, 'input'>) => Promise<Shaped>
  /** Adds the call to a proposal in place of a plan, and returns the changes that it would make there. */
  readonly propose: (bound: Bound<Tables>, request: Request) => Promise<Shaped>
}

/** The part of the kernel that tools use. */
export type Runner<Tables> = Pick<Kernel<Tables>, 'run' | 'refused'>

export type ToolBox<Tables> = Runner<Tables> & {
  readonly listed: ReadonlyMap<string, Entry<Tables>>
  /** Keyed by operation name and by tool name. */
  readonly callable: ReadonlyMap<string, Entry<Tables>>
  readonly search: SearchOperations
  readonly plans: Plans<Tables>
  /** The operations in which names are looked up. */
  readonly sets: Readonly<Record<string, OperationSet>>
  readonly byOperation: ReadonlyMap<AnyOperation, Bound<Tables>>
}

export const createToolBox = <Tables>(
  operations: readonly Bound<Tables>[],
  { run, refused }: Runner<Tables>,
  plans: Plans<Tables>,
): ToolBox<Tables> => {
  const entries = operations
    .filter(({ op }) => op.mcp !== 'hidden')
    .map((bound) => ({
      bound,
      isPaged: isPaged(bound.op),
      needsPlan: needsPlan(bound.op),
      listIn: listIn(bound.op),
      answerFields: listAnswerFields(bound.op),
    }))
  const named = entries.map((entry) => [getToolName(entry.bound.op), entry] as const)
  return {
    run,
    refused,
    plans,
    listed: new Map(named.filter(([, { bound }]) => bound.op.mcp === 'listed')),
    callable: new Map([...named, ...entries.map((entry) => [entry.bound.op.name, entry] as const)]),
    search: createSearch(entries.map(({ bound }) => bound.op)),
    sets: toOperationSets(operations.map(({ op }) => op)),
    byOperation: new Map(operations.map((bound) => [bound.op, bound])),
  }
}

type Arguments = Readonly<Record<string, unknown>>

const isAppError = (thrown: unknown): thrown is AppError => thrown instanceof AppError

/** @throws AppError VALIDATION_ERROR that names the unknown fields along with all other errors. */
const refuseUnknown = (schema: z.ZodType, input: Arguments, isKnown = (_: string): boolean => true): void => {
  const known = Object.fromEntries(Object.entries(input).filter(([field]) => isKnown(field)))
  const withheld = Object.keys(input).filter((field) => !isKnown(field))
  const fields = [...listUnknownFields(schema, known), ...withheld.map((field) => formatFieldName([field]))]
  const unknown = fields.map((field) => ({ field, message: 'unknown field' }))
  if (unknown.length === 0) return
  try {
    parse(schema, known)
  } catch (thrown) {
    if (isAppError(thrown)) throw invalid([...unknown, ...thrown.details], unknown.length + thrown.total)
    throw thrown
  }
  throw invalid(unknown)
}

/** The number of fields that a call may ask for; no answer has more. */
const MAX_WANTED_FIELDS = 1000
const FieldsInput = z.object({ fields: z.array(z.string()).max(MAX_WANTED_FIELDS).optional() })

/** The number of characters of unknown names that an error quotes. */
const MAX_UNKNOWN = 1024

/** Validates the `fields` argument before the operation runs. @throws AppError VALIDATION_ERROR */
const parseFields = (known: readonly string[], wanted: unknown): readonly string[] | undefined => {
  const { fields } = parse(FieldsInput, { fields: wanted })
  const unknown = fields?.filter((field) => !known.includes(field)) ?? []
  if (unknown.length === 0) return fields
  throw invalidField(
    'fields',
    `has no ${shorten(unknown.join(', '), MAX_UNKNOWN)}; there are ${known.join(', ') || 'none to choose from'}`,
  )
}

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

type ToolInput = { readonly tool: string; readonly input: Arguments; readonly fields: unknown }

/** True for a write that is noted in a proposal, and not made. */
const isProposal = (op: AnyOperation, input: Arguments): boolean => canPropose(op) && asksForProposal(input)

/** Returns the requested fields of the answer. @throws AppError for a call that must not run */
const validateFields = <Tables>(
  { bound, answerFields, needsPlan: isPlanned }: Entry<Tables>,
  { input, fields }: ToolInput,
  { caller }: CallContext,
) => {
  // Access is checked first, as over REST: a caller without the permission learns nothing about the input.
  const isProposed = isProposal(bound.op, input)
  checkAccess(
    isProposed ? 'proposals:create' : getAdmission(bound.op, input.id),
    caller,
    isProposed ? 'custom' : bound.op.scope,
  )
  refuseUnknown(bound.op.input, input, (field) => !isWithheld(bound.op, field))
  return parseFields(isPlanned ? [] : answerFields, fields)
}

/** Builds the kernel's request for a call by this tool. */
const buildRequest = (
  { caller, rights, requestId, client, signal }: CallContext,
  tool: string,
): Omit<Request, 'input'> => ({
  caller,
  rights,
  requestId,
  client,
  signal,
  tool,
})

const runOperation = async <Tables>(
  box: ToolBox<Tables>,
  entry: Entry<Tables>,
  call: ToolInput,
  context: CallContext,
): Promise<Shaped> => {
  const { bound, isPaged, needsPlan: isPlanned, listIn } = entry
  const request = { ...buildRequest(context, call.tool), readPoint: context.readPoint }
  let input: Arguments = isPaged ? { limit: DEFAULT_ROWS, ...call.input } : call.input
  let fields: readonly string[] | undefined
  try {
    fields = validateFields(entry, call, context)
    input = await withIds(bound.op, input, {
      sets: box.sets,
      run: async (op, wanted) => {
        const other = box.byOperation.get(op)
        return other && box.run(other, { ...request, input: wanted })
      },
    })
  } catch (error) {
    await box.refused(bound.op, { ...request, input }, error)
    throw offerProposal(bound.op, context.caller, error)
  }
  const isProposed = isProposal(bound.op, input)
  if (isPlanned && isProposed) return limitSize(await box.plans.propose(bound, { ...request, input }))
  if (isPlanned) {
    try {
      return limitSize(await runInTurn(bound, context.caller, () => box.plans.make(bound, { ...request, input })))
    } catch (error) {
      // A plan is not recorded, but a refusal for lack of a permission is.
      if (isAppError(error) && error.code === 'FORBIDDEN') await box.refused(bound.op, { ...request, input }, error)
      throw offerProposal(bound.op, context.caller, error)
    }
  }
  const headers = new Map<string, string>()
  const setHeader: Request['setHeader'] = (name, value) => void headers.set(name, value)
  const run = () => box.run(bound, { ...request, input, ...(isProposed && { setHeader }) })
  const answer = await (isProposed ? run() : runInTurn(bound, context.caller, run))
  const mostRows = isPaged ? numberOr(call.input.limit, DEFAULT_ROWS) : Number.POSITIVE_INFINITY
  const shaped = await shape(answer, { fields, mostRows, offset: numberOr(call.input.offset, 0), listIn })
  return isProposed ? { ...shaped, proposal: Number(headers.get('X-Proposal')) } : shaped
}

const SearchInput = z.strictObject({ query: z.string().min(1).max(256) })
const CallInput = z.strictObject({
  operation: z.string(),
  input: z.record(z.string(), z.unknown()).default({}),
  fields: z.unknown().optional(),
})
const ApplyInput = z.strictObject({ plan_id: z.string().min(1) })

/** The tool is not in the list: an error of the client, not of the model. */
export class UnknownToolError extends Error {
  override readonly name = 'UnknownToolError'
  constructor(tool: string) {
    super(`There is no tool ${shorten(tool)}; search_operations finds others`)
  }
}

const runTool = async <Tables>(
  box: ToolBox<Tables>,
  tool: string,
  args: Arguments,
  context: CallContext,
): Promise<Shaped> => {
  if (tool === SEARCH_TOOL.name) {
    refuseUnknown(SearchInput, args)
    return box.search(parse(SearchInput, args).query, await context.describeCustom?.())
  }
  if (tool === APPLY_TOOL.name) {
    refuseUnknown(ApplyInput, args)
    return limitSize(await box.plans.apply(parse(ApplyInput, args).plan_id, buildRequest(context, tool)))
  }
  if (tool === CALL_TOOL.name) {
    refuseUnknown(CallInput, args)
    const { operation, input, fields } = parse(CallInput, args)
    const entry = orNotFound(box.callable.get(operation), 'operation', operation)
    return runOperation(box, entry, { tool, input, fields }, context)
  }
  const entry = box.listed.get(tool)
  if (!entry) throw new UnknownToolError(tool)
  const { fields, ...input } = args
  return runOperation(box, entry, { tool, input, fields }, context)
}

/** Builds the result of a failure. An unexpected error is logged in full and not shown. */
export const reportFailure = (
  thrown: unknown,
  { log, requestId, insufficientScope }: CallContext,
  called: string,
): AppError => {
  if (thrown instanceof InsufficientScopeError) insufficientScope?.(thrown.permissions)
  const error = toAppError(thrown)
  if (error.code === 'INTERNAL_ERROR')
    log.error('tool failed', { request_id: requestId, tool: called, error: error.cause ?? error })
  return error
}

const toResult = (value: Shaped, isError = false): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
  ...(isError && { isError }),
})

/** @throws UnknownToolError */
export const callTool = async <Tables>(
  box: ToolBox<Tables>,
  name: string,
  args: Arguments,
  context: CallContext,
): Promise<CallToolResult> => {
  try {
    return toResult(await runTool(box, name, args, context))
  } catch (thrown) {
    if (thrown instanceof UnknownToolError) throw thrown
    return toResult(toErrorBody(reportFailure(thrown, context, name)), true)
  }
}
