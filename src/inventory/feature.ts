/** The feature of a resource with a contract that follows from its facts. */
import { type Feature, implement } from '../kernel/ctx.ts'
import type { OperationSet } from '../kernel/operation.ts'
import type { ResourceFacts } from '../resource/facts.ts'
import type { ResourceRules } from '../resource/rules.ts'
import { inventory } from './contracts.ts'
import { type Resource, toContractName } from './resources.ts'

export const declareFeature = <T, A>(
  { name }: ResourceFacts,
  { handlers, reactions }: ResourceRules<T, A>,
): Feature => ({
  // The contract is made of the same facts as the handlers.
  operations: implement<OperationSet>(inventory[toContractName(name as Resource)], handlers as never),
  reactions,
})
