/** The smallest body that a create or update takes. */
import { contracts } from '../../src/app/contracts.ts'
import { toJsonSchema } from '../../src/contract/json-schema.ts'
import { INVENTORY, type Resource, toContractName } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation, OperationSet } from '../../src/kernel/operation.ts'
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

type Example = { readonly resource: Resource; readonly path: string; readonly body: Record<string, unknown> }

/** Returns the smallest create of each resource that needs no other object, except of the resources that a test knows how to make. */
export const requiredExamples = (known: readonly string[]): readonly Example[] =>
  INVENTORY.flatMap((resource) => {
    const { create }: OperationSet = contracts[toContractName(resource)]
    if (!create || known.includes(resource)) return []
    const { path, params } = parseHttp(create.http)
    return params.length === 0 ? [{ resource, path, body: requiredExample(create) }] : []
  })
