/** The feature of a resource with a contract that follows from its facts. */

import { contracts } from '../app/contracts.ts'
import { type Resource, toContractName } from '../inventory/resources.ts'
import { type Feature, implement } from '../kernel/ctx.ts'
import type { OperationSet } from '../kernel/operation.ts'
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
