/** The names of resources and of their contracts. The build evaluates this file, so that the first page loads no facts. */
import { INVENTORY, PROPOSED_RESOURCES, type Resource, toContractName } from '../../../../src/inventory/resources.ts'

export type { Resource }

/** In the order in which objects are made. */
export const RESOURCE_NAMES: readonly Resource[] = INVENTORY

/** The resources with writes that can be proposed. */
export const PROPOSED_NAMES: readonly Resource[] = PROPOSED_RESOURCES

/** The names of contracts by the names of resources. */
export const CONTRACT_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  INVENTORY.map((name) => [name, toContractName(name)]),
)
