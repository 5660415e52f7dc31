/** The smallest body that a create or update takes. */
import { toJsonSchema } from '../../src/contract/json-schema.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { buildExample } from '../../src/surfaces/openapi/example.ts'

export const requiredExample = (op: AnyOperation): Record<string, unknown> => {
  const { schema, definitions } = toJsonSchema(op.input, 'input')
  const required = new Set(schema.required)
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name))
      .map(([name, field]) => [name, buildExample(field, definitions, name)]),
  )
}
