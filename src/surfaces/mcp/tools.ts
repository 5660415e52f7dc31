/** Defines the tools: the listed operations, two that reach all the others, and one that applies a plan. */
import { getToolName } from '../../contract/command-name.ts'
import { closeSchema, type DescribeCustom, type JsonSchema, toJsonSchema } from '../../contract/json-schema.ts'
import type { AnyOperation, Effect } from '../../kernel/operation.ts'
import { isList, listAnswerFields, toOutputSchema } from './output.ts'
import { resolveReferences } from './signature.ts'

export type Hints = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

type ObjectSchema = JsonSchema & { readonly type: 'object' }

export type ToolDefinition = {
  readonly name: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  /** Absent if the answer depends on the called operation. */
  readonly outputSchema?: JsonSchema
  readonly annotations: Hints
}

const STRING: JsonSchema = { type: 'string' }
const object = (properties: Record<string, JsonSchema>): ObjectSchema => ({ type: 'object', properties })
const toArraySchema = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

/** Maximum number of rows of a list without `limit`. */
export const DEFAULT_ROWS = 100

const HINTS: Readonly<Record<Effect, Hints>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // Overwrites earlier values. A repetition changes nothing more.
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  action: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
}

export const getHints = ({ effect, reachesOut }: Pick<AnyOperation, 'effect' | 'reachesOut'>): Hints => ({
  ...HINTS[effect],
  openWorldHint: reachesOut === true,
})

/** Returns true if a call returns a plan first: for deletes, and for bulk changes. */
export const needsPlan = ({ effect, isBulk }: Pick<AnyOperation, 'effect' | 'isBulk'>): boolean =>
  effect === 'delete' || isBulk === true

const strings = (description: string): JsonSchema => ({ type: 'array', description, items: STRING })
/** The fields of a single object need no description. */
const FIELDS: JsonSchema = { type: 'array', items: STRING }
const LIST_FIELDS = strings('Only these; rows are lists of values')

/** Returns true if the operation takes a `limit` of as many rows as are sent without one. */
export const isPaged = ({ input: { shape } }: AnyOperation): boolean =>
  Object.hasOwn(shape, 'limit') && shape.limit.safeParse(DEFAULT_ROWS).success

/** The name of a reference tells that it is an id, and of which object. */
const told = (name: string, { description, ...field }: JsonSchema): JsonSchema =>
  description === undefined ||
  ((name === 'id' || name.endsWith('_id')) && /^(Id of an?|The) [a-z -]+$/.test(description))
    ? field
    : { ...field, description }

/** Removes Plat's extensions, and the bounds of which a model has little use: bounds of lengths, and the lowest numbers. */
const removeExtensions = ({
  'x-ref': _,
  minLength: __,
  maxLength: ___,
  maxItems: ____,
  minimum,
  ...schema
}: JsonSchema): JsonSchema => ({
  ...schema,
  ...(minimum !== undefined && minimum > 1 && { minimum }),
  ...(schema.items && { items: removeExtensions(schema.items) }),
  ...(schema.anyOf && { anyOf: schema.anyOf.map(removeExtensions) }),
  ...(typeof schema.additionalProperties === 'object' && {
    additionalProperties: removeExtensions(schema.additionalProperties),
  }),
  ...(schema.properties && {
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, removeExtensions(told(name, field))]),
    ),
  }),
})

/**
 * Tools have plans in place of dry runs, and a plan can be applied once without a key. Another operation may have its own `dry_run`,
 * which stays.
 */
export const isWithheld = (op: AnyOperation, field: string): boolean =>
  (field === 'dry_run' && (op.hasHistory === true || op.showsChanges === true)) ||
  (field === 'idempotency_key' && needsPlan(op))

/** Tools have custom fields only where some are defined. */
export const NO_CUSTOM_FIELDS: DescribeCustom = () => null

/** Returns the input of an operation as a closed JSON Schema without references. */
export const toInputSchema = (op: AnyOperation, describeCustom = NO_CUSTOM_FIELDS): JsonSchema => {
  const { schema, definitions } = toJsonSchema(op.input, 'input', { describeCustom })
  const fields = Object.entries(schema.properties ?? {}).filter(([field]) => !isWithheld(op, field))
  const offered = schema.properties ? { ...schema, properties: Object.fromEntries(fields) } : schema
  return removeExtensions(closeSchema(resolveReferences(offered, definitions)))
}

const describe = (op: AnyOperation): string =>
  [
    `${op.summary}.`,
    ...(op.description ? [op.description] : []),
    ...(isList(op) ? ['Answers {items, total, truncated}.'] : []),
    ...(op.effect === 'update' ? ['Changes only the fields you name; null clears one.'] : []),
    ...(needsPlan(op) ? ['Changes nothing yet: answers a plan for apply_plan.'] : []),
  ].join(' ')

/** Fields of many tools, in few words. REST sends complete lists, which no model can read. */
const SHORT: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', description: `${DEFAULT_ROWS} without it` },
  offset: { type: 'integer' },
  sort: { ...STRING, description: 'Like -created_at' },
  as_of: { ...STRING, description: 'Time, change id, 24h or proposal:7' },
  change_note: { ...STRING, description: 'The reason' },
  idempotency_key: STRING,
  proposal: { ...STRING, description: 'draft, open or its number' },
  mount: {
    type: ['object', 'null'],
    description: 'rack_id, position, height, face, full_depth, slot, power_w',
  },
}

const shortenFields = (properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, SHORT[name] ?? field]))

const getFieldsSchema = (op: AnyOperation): JsonSchema | undefined => {
  if (needsPlan(op) || listAnswerFields(op).length === 0) return undefined
  return isList(op) ? LIST_FIELDS : FIELDS
}

const buildArguments = (op: AnyOperation, properties: JsonSchema['properties'] = {}): Record<string, JsonSchema> => {
  const fields = getFieldsSchema(op)
  return {
    ...shortenFields(properties),
    ...(fields && { fields }),
  }
}

const INTEGERS: JsonSchema = { type: 'object', additionalProperties: { type: 'integer' } }
const CHANGES = object({ delete: INTEGERS, update: INTEGERS, create: INTEGERS })
const OBJECTS = toArraySchema(
  object({ change: STRING, kind: STRING, id: STRING, name: STRING, fields: { type: 'object' } }),
)
const FAILURES = toArraySchema({ type: 'object' })

const IMPACT = object({ stops: { type: 'integer' }, cut_off: { type: 'integer' }, degraded: { type: 'integer' } })

/** The answer of a tool that returns a plan. */
const PLAN = object({
  plan_id: STRING,
  expires_at: STRING,
  proposal: { type: 'integer' },
  summary: STRING,
  changes: CHANGES,
  impact: IMPACT,
  objects: OBJECTS,
  failures: FAILURES,
})

const toDefinition = (op: AnyOperation, describeCustom: DescribeCustom): ToolDefinition => {
  const { properties, required } = toInputSchema(op, describeCustom)
  return {
    name: getToolName(op),
    description: describe(op),
    inputSchema: {
      type: 'object',
      properties: buildArguments(op, properties),
      ...(required && { required }),
      additionalProperties: false,
    },
    outputSchema: needsPlan(op) ? PLAN : toOutputSchema(op, describeCustom),
    annotations: getHints(op),
  }
}

const text = (description: string): JsonSchema => ({ type: 'string', description })
const input = (properties: Record<string, JsonSchema>, required: string): ObjectSchema => ({
  ...object(properties),
  required: [required],
  additionalProperties: false,
})

export const SEARCH_TOOL: ToolDefinition = {
  name: 'search_operations',
  description:
    'Find operations beyond the listed tools by description, like "create network" or "retag devices". Returns their names, effects, permissions and inputs, for call_operation.',
  inputSchema: input({ query: text('A few words') }, 'query'),
  outputSchema: object({
    operations: toArraySchema({ type: 'object' }),
    total: { type: 'integer' },
    nouns: toArraySchema(STRING),
  }),
  annotations: HINTS.read,
}

export const CALL_TOOL: ToolDefinition = {
  name: 'call_operation',
  description:
    'Run an operation that search_operations found. Lists return {items, total, truncated}. Operations that delete or change many objects return a plan for apply_plan, and change nothing yet.',
  inputSchema: input(
    {
      operation: text('Its name, like networks.create'),
      input: { type: 'object', description: 'As search_operations describes it' },
      fields: LIST_FIELDS,
    },
    'operation',
  ),
  // It may run any operation.
  annotations: { ...HINTS.action, openWorldHint: true },
}

export const APPLY_TOOL: ToolDefinition = {
  name: 'apply_plan',
  description:
    'Make exactly the changes that a plan has shown; refused if any of its objects has changed since. A plan can be applied once, within 5 minutes, by its user and client. Show the user its summary first.',
  inputSchema: input({ plan_id: text('As the plan says') }, 'plan_id'),
  outputSchema: object({
    applied: { type: 'boolean' },
    operation: STRING,
    summary: STRING,
    changes: CHANGES,
    created: OBJECTS,
    failures: FAILURES,
    result: { type: 'object', description: 'Of an operation on another server: its answer' },
  }),
  // The plan may be of an operation on another server.
  annotations: { ...HINTS.action, openWorldHint: true },
}

/** Returns all tools in the order of the registry, the same for every caller; the call checks access. */
export const listToolDefinitions = (
  operations: readonly AnyOperation[],
  describeCustom = NO_CUSTOM_FIELDS,
): readonly ToolDefinition[] => [
  ...operations.filter(({ mcp }) => mcp === 'listed').map((op) => toDefinition(op, describeCustom)),
  SEARCH_TOOL,
  CALL_TOOL,
  APPLY_TOOL,
]
