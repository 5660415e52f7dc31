/** Which tools there are, and how each describes itself. The listed operations, and two that reach all the others. */
import { z } from 'zod'
import { toolName } from '../command.ts'
import { closed, type JsonSchema, jsonSchemaOf } from '../json-schema.ts'
import type { AnyOperation, Effect } from '../operation.ts'
import { inlined } from './signature.ts'

export type Hints = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export type ToolDefinition = {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly annotations: Hints
}

/** Rows of a list that nobody asked to limit. */
export const DEFAULT_ROWS = 100

const HINTS: Readonly<Record<Effect, Hints>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // It overwrites what was there; a second time it changes nothing more.
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  action: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
}

export const hintsOf = ({ effect }: AnyOperation): Hints => HINTS[effect]

const FIELDS: JsonSchema = {
  type: 'array',
  description: 'Keep only these top-level fields of the answer',
  items: { type: 'string' },
}

const isList = (op: AnyOperation): boolean => op.output instanceof z.ZodArray
/** Whether the operation takes `limit` and `offset`. */
export const isPaged = (op: AnyOperation): boolean => Object.hasOwn(op.input.shape, 'limit')

/** The top-level fields of the answer, or of each row of it. */
export const answerFieldsOf = (op: AnyOperation): readonly string[] => {
  const { schema, definitions } = jsonSchemaOf(op.output, 'output')
  const whole = inlined(schema, definitions)
  return Object.keys((whole.items ?? whole).properties ?? {})
}

const withoutOurs = ({ 'x-ref': _, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  ...(schema.items && { items: withoutOurs(schema.items) }),
  ...(schema.anyOf && { anyOf: schema.anyOf.map(withoutOurs) }),
  ...(schema.properties && {
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, withoutOurs(field)]),
    ),
  }),
})

/** The input of an operation as a closed JSON Schema that stands by itself. */
export const inputSchemaOf = (op: AnyOperation): JsonSchema => {
  const { schema, definitions } = jsonSchemaOf(op.input, 'input')
  return withoutOurs(closed(inlined(schema, definitions)))
}

const describe = (op: AnyOperation): string =>
  [
    `${op.summary}.`,
    ...(op.description ? [op.description] : []),
    ...(isList(op) ? ['Answers {items, total, truncated}.'] : []),
    ...(op.effect === 'update' ? ['Changes only the fields you name; null clears one.'] : []),
  ].join(' ')

/** Over REST a list is whole; no model could read it. */
const LIMIT = `Rows at most; ${DEFAULT_ROWS} without it`

const argumentsOf = (op: AnyOperation, properties: JsonSchema['properties'] = {}): Record<string, JsonSchema> => ({
  ...properties,
  ...(properties.limit && { limit: { ...properties.limit, description: LIMIT } }),
  ...(answerFieldsOf(op).length > 0 && { fields: FIELDS }),
})

export const definitionOf = (op: AnyOperation): ToolDefinition => {
  const { properties, required } = inputSchemaOf(op)
  return {
    name: toolName(op),
    description: describe(op),
    inputSchema: {
      type: 'object',
      properties: argumentsOf(op, properties),
      ...(required && { required }),
      additionalProperties: false,
    },
    annotations: hintsOf(op),
  }
}

const text = (description: string): JsonSchema => ({ type: 'string', description })

export const SEARCH_TOOL: ToolDefinition = {
  name: 'search_operations',
  description:
    'Find operations beyond the listed tools by what they do, like "create network" or "api keys". Answers their names, effects, permissions and inputs, for call_operation.',
  inputSchema: {
    type: 'object',
    properties: { query: text('A few words') },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: HINTS.read,
}

export const CALL_TOOL: ToolDefinition = {
  name: 'call_operation',
  description: 'Run an operation that search_operations found. Lists answer {items, total, truncated}.',
  inputSchema: {
    type: 'object',
    properties: {
      operation: text('Its name, like networks.create'),
      input: { type: 'object', description: 'As search_operations describes it' },
      fields: FIELDS,
    },
    required: ['operation'],
    additionalProperties: false,
  },
  // It may run anything there is.
  annotations: HINTS.action,
}

/** Every tool, in the order of the registry; the same for every caller, because rights are checked at the call. */
export const toolDefinitions = (operations: readonly AnyOperation[]): readonly ToolDefinition[] => [
  ...operations.filter(({ mcp }) => mcp === 'listed').map(definitionOf),
  SEARCH_TOOL,
  CALL_TOOL,
]
