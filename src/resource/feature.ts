/** The feature of a resource with a contract that follows from its facts. */
import { type Feature, implement } from '../features/ctx.ts'
import { contracts } from '../features/index.ts'
import { type Resource, toContractName } from '../features/inventory.ts'
import type { OperationSet } from '../platform/operation/operation.ts'
import type { ResourceFacts } from './facts.ts'
import type { ResourceRules } from './rules.ts'

export const declareFeature = <T, A>(
  { name }: ResourceFacts,
  { handlers, reactions }: ResourceRules<T, A>,
): Feature => ({
  // The contract is made of the same facts as the handlers.
  operations: implement<OperationSet>(contracts[toContractName(name as Resource)], handlers as never),
  reactions,
})
