/** The contracts of the resources: those of an `api.ts`, and those that follow from the facts. Browser-safe. */
import type { OperationSet } from '../kernel/operation.ts'
import { type Crud, crud } from '../resource/crud.ts'
import type { ResourceFacts } from '../resource/facts.ts'
import { addresses, networkAddresses } from './addresses/api.ts'
import { cables } from './cables/api.ts'
import { customFields } from './custom-fields/api.ts'
import { datacenters } from './datacenters/api.ts'
import { deviceTypes } from './device-types/api.ts'
import { devices } from './devices/api.ts'
import { kinds } from './kinds/api.ts'
import { networks } from './networks/api.ts'
import { planning } from './networks/planning-api.ts'
import { objects } from './objects/api.ts'
import { pools } from './pools/api.ts'
import { ports } from './ports/api.ts'
import { racks } from './racks/api.ts'
import { references } from './references/api.ts'
import { relationships } from './relationships/api.ts'
import { reservations } from './reservations/api.ts'
import { type ContractOf, FACTS, RESOURCES, type Resource, toContractName } from './resources.ts'
import { scanners } from './scanners/api.ts'
import { spaces } from './spaces/api.ts'
import { vlans } from './vlans/api.ts'

const first = { kinds, customFields, spaces, datacenters, vlans } satisfies Record<string, OperationSet>

const others = {
  networks: { ...networks, ...planning, ...networkAddresses },
  pools,
  reservations,
  addresses,
  deviceTypes,
  racks,
  devices,
  ports,
  cables,
  objects,
  relationships,
  references,
  scanners,
} satisfies Record<string, OperationSet>

type Listed = typeof first & typeof others

/** The facts of resources with a contract that follows from them. */
type DeclaredFacts = (typeof RESOURCES)[number] extends infer F
  ? F extends ResourceFacts
    ? ContractOf<F['name']> extends keyof Listed
      ? never
      : F
    : never
  : never
type DeclaredContracts = { readonly [F in DeclaredFacts as ContractOf<F['name']>]: Crud<F>['operations'] }

// One contract for each of these facts.
const declared = Object.fromEntries(
  RESOURCES.map((facts: ResourceFacts) => [toContractName(facts.name as Resource), facts] as const)
    .filter(([name]) => !Object.hasOwn(first, name) && !Object.hasOwn(others, name))
    .map(([name, facts]) => [name, crud(facts).operations]),
) as object as DeclaredContracts

/** In the order of the OpenAPI document. */
export const inventory = { ...first, ...declared, ...others }

/** Returns the computed fields of answers that no create takes. */
export const listComputed = (resource: Resource): string[] => {
  const { computed = {} }: ResourceFacts = FACTS[resource]
  const { create }: OperationSet = inventory[toContractName(resource)]
  return Object.keys(computed).filter((field) => !create || !Object.hasOwn(create.input.shape, field))
}
