/** The smallest body that a create or update takes. */
import { jsonSchemaOf } from '../platform/contract/json-schema.ts'
import { exampleOf } from '../platform/openapi/example.ts'
import type { AnyOperation } from '../platform/operation/operation.ts'

export const requiredExample = (op: AnyOperation): Record<string, unknown> => {
  const { schema, definitions } = jsonSchemaOf(op.input, 'input')
  const required = new Set(schema.required)
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name))
      .map(([name, field]) => [name, exampleOf(field, definitions, name)]),
  )
}
