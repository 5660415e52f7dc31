/** Runs one tool call: strict input, `kernel.run`, an answer that fits. Every failure becomes a result that a model can read. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { toolName } from '../command.ts'
import { AppError, invalid, invalidField, notFound, toAppError } from '../errors.ts'
import { type Bound, type Caller, checkAccess, type Kernel } from '../kernel.ts'
import type { Logger } from '../log.ts'
import { parse, unknownFields } from '../validate.ts'
import { createSearch, type SearchOperations } from './search.ts'
import { type Shaped, shape } from './shape.ts'
import { answerFieldsOf, CALL_TOOL, DEFAULT_ROWS, isPaged, SEARCH_TOOL } from './tools.ts'

/** Who calls, and in which request. */
export type CallContext = {
  readonly caller: Caller
  readonly requestId: string
  readonly client: string
  readonly signal: AbortSignal
  readonly log: Logger
}

/** An operation with what each call needs to know of its contract, worked out once. */
type Entry<Tables> = {
  readonly bound: Bound<Tables>
  readonly isPaged: boolean
  readonly answerFields: readonly string[]
}

/** What tools need of the kernel. */
export type Runner<Tables> = Pick<Kernel<Tables>, 'run' | 'refused'>

export type ToolBox<Tables> = Runner<Tables> & {
  readonly listed: ReadonlyMap<string, Entry<Tables>>
  /** Under their own names and under those they would have as tools. */
  readonly callable: ReadonlyMap<string, Entry<Tables>>
  readonly search: SearchOperations
}

export const createToolBox = <Tables>(
  operations: readonly Bound<Tables>[],
  { run, refused }: Runner<Tables>,
): ToolBox<Tables> => {
  const entries = operations
    .filter(({ op }) => op.mcp !== 'hidden')
    .map((bound) => ({ bound, isPaged: isPaged(bound.op), answerFields: answerFieldsOf(bound.op) }))
  const named = entries.map((entry) => [toolName(entry.bound.op), entry] as const)
  return {
    run,
    refused,
    listed: new Map(named.filter(([, { bound }]) => bound.op.mcp === 'listed')),
    callable: new Map([...named, ...entries.map((entry) => [entry.bound.op.name, entry] as const)]),
    search: createSearch(entries.map(({ bound }) => bound.op)),
  }
}

type Arguments = Readonly<Record<string, unknown>>

const isAppError = (thrown: unknown): thrown is AppError => thrown instanceof AppError

/** @throws AppError VALIDATION_ERROR that names the unknown fields along with all else that is wrong. */
const refuseUnknown = (schema: z.ZodType, input: unknown): void => {
  const unknown = unknownFields(schema, input).map((field) => ({ field, message: 'is not a field of this' }))
  if (unknown.length === 0) return
  try {
    parse(schema, input)
  } catch (thrown) {
    if (isAppError(thrown)) throw invalid([...unknown, ...thrown.details])
    throw thrown
  }
  throw invalid(unknown)
}

const FieldsInput = z.object({ fields: z.array(z.string()).optional() })

/** The `fields` argument, judged before anything runs. @throws AppError VALIDATION_ERROR */
const fieldsOf = (known: readonly string[], wanted: unknown): readonly string[] | undefined => {
  const { fields } = parse(FieldsInput, { fields: wanted })
  const unknown = fields?.filter((field) => !known.includes(field)) ?? []
  if (unknown.length === 0) return fields
  throw invalidField('fields', `has no ${unknown.join(', ')}; there are ${known.join(', ') || 'none to choose from'}`)
}

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

type ToolInput = { readonly input: Arguments; readonly fields: unknown }

/** The fields that are wanted of the answer. @throws AppError for a call that is not to be run */
const judge = <Tables>(
  { bound, answerFields }: Entry<Tables>,
  { input, fields }: ToolInput,
  { caller }: CallContext,
) => {
  // As over REST: a caller without the permission learns nothing about the input.
  checkAccess(bound.op.access, caller)
  refuseUnknown(bound.op.input, input)
  return fieldsOf(answerFields, fields)
}

const runOperation = async <Tables>(
  { run, refused }: ToolBox<Tables>,
  entry: Entry<Tables>,
  call: ToolInput,
  context: CallContext,
): Promise<Shaped> => {
  const { bound, isPaged } = entry
  const { caller, requestId, client, signal } = context
  const input = isPaged ? { limit: DEFAULT_ROWS, ...call.input } : call.input
  const request = { caller, input, requestId, client, signal }
  let fields: readonly string[] | undefined
  try {
    fields = judge(entry, call, context)
  } catch (error) {
    await refused(bound.op, request, error)
    throw error
  }
  const answer = await run(bound, request)
  const mostRows = isPaged ? numberOr(call.input.limit, DEFAULT_ROWS) : Number.POSITIVE_INFINITY
  return shape(answer, { fields, mostRows, offset: numberOr(call.input.offset, 0) })
}

const SearchInput = z.strictObject({ query: z.string().min(1).max(256) })
const CallInput = z.strictObject({
  operation: z.string(),
  input: z.record(z.string(), z.unknown()).default({}),
  fields: z.unknown().optional(),
})

/** A tool that was never listed: a mistake of the client, not of the model. */
export class UnknownToolError extends Error {
  override readonly name = 'UnknownToolError'
  constructor(tool: string) {
    super(`There is no tool ${tool}; search_operations finds others`)
  }
}

const answerOf = async <Tables>(
  box: ToolBox<Tables>,
  name: string,
  args: Arguments,
  context: CallContext,
): Promise<Shaped> => {
  if (name === SEARCH_TOOL.name) return box.search(parse(SearchInput, args).query)
  if (name === CALL_TOOL.name) {
    const { operation, input, fields } = parse(CallInput, args)
    const entry = box.callable.get(operation)
    if (!entry) throw notFound('operation', operation)
    return runOperation(box, entry, { input, fields }, context)
  }
  const entry = box.listed.get(name)
  if (!entry) throw new UnknownToolError(name)
  const { fields, ...input } = args
  return runOperation(box, entry, { input, fields }, context)
}

const result = (value: Shaped, isError = false): CallToolResult => ({
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
    return result(await answerOf(box, name, args, context))
  } catch (thrown) {
    if (thrown instanceof UnknownToolError) throw thrown
    const error = toAppError(thrown)
    if (error.code === 'INTERNAL_ERROR')
      context.log.error('tool failed', { request_id: context.requestId, tool: name, error: error.cause ?? error })
    return result(error.toBody(), true)
  }
}
