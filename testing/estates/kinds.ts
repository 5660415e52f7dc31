/** The resources with all five operations, for tests of all of them. A new resource is among them without a line. */
import { contracts } from '../../src/app/contracts.ts'
import { FACTS, INVENTORY, type Resource, toContractName } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation, OperationSet } from '../../src/kernel/operation.ts'
import type { ResourceFacts } from '../../src/resource/facts.ts'

export type Kind = {
  readonly resource: Resource
  readonly facts: ResourceFacts
  /** The path of the list; an object has its id behind it. */
  readonly path: string
  /** The parameters in the path of a create. */
  readonly params: readonly string[]
  readonly create: AnyOperation
  readonly update: AnyOperation
}

export const KINDS: readonly Kind[] = INVENTORY.flatMap((resource) => {
  const { create, get, update, delete: remove }: OperationSet = contracts[toContractName(resource)]
  if (!create || !get || !update || !remove) return []
  const { path } = parseHttp(get.http)
  const { params } = parseHttp(create.http)
  return [{ resource, facts: FACTS[resource], path: path.replace('/{id}', ''), params, create, update }]
})
