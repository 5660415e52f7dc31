/** The smallest body that a create or update takes. */
import { toJsonSchema } from '../platform/contract/json-schema.ts'
import { buildExample } from '../platform/openapi/example.ts'
import type { AnyOperation } from '../platform/operation/operation.ts'

export const requiredExample = (op: AnyOperation): Record<string, unknown> => {
  const { schema, definitions } = toJsonSchema(op.input, 'input')
  const required = new Set(schema.required)
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name))
      .map(([name, field]) => [name, buildExample(field, definitions, name)]),
  )
}
