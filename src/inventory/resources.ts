/**
 * The registry of resources: their facts, in the order in which objects are made. Import, export, permissions, kinds, tables and the lists
 * of the web UI follow from it. Loads no schema, because the command line and the browser load it.
 */
import { cableFacts } from './cables/resource.ts'
import { customFieldFacts } from './custom-fields/resource.ts'
import { datacenterFacts } from './datacenters/resource.ts'
import { deviceTypeFacts } from './device-types/resource.ts'
import { deviceFacts } from './devices/resource.ts'
import { kindFacts } from './kinds/resource.ts'
import { networkFacts } from './networks/resource.ts'
import { objectFacts } from './objects/resource.ts'
import { poolFacts } from './pools/resource.ts'
import { portFacts } from './ports/resource.ts'
import { rackFacts } from './racks/resource.ts'
import { relationshipFacts } from './relationships/resource.ts'
import { reservationFacts } from './reservations/resource.ts'
import { scannerFacts } from './scanners/resource.ts'
import { spaceFacts } from './spaces/resource.ts'
import { vlanFacts } from './vlans/resource.ts'

/** The objects that a resource refers to come before it. */
export const RESOURCES = [
  kindFacts,
  customFieldFacts,
  spaceFacts,
  datacenterFacts,
  vlanFacts,
  scannerFacts,
  networkFacts,
  poolFacts,
  deviceTypeFacts,
  rackFacts,
  deviceFacts,
  portFacts,
  cableFacts,
  objectFacts,
  relationshipFacts,
  reservationFacts,
] as const

export type Resource = (typeof RESOURCES)[number]['name']
export const INVENTORY: readonly Resource[] = RESOURCES.map(({ name }) => name)

/** The resources with writes that can be proposed. */
export const PROPOSED_RESOURCES: readonly Resource[] = RESOURCES.filter((facts) => !('proposes' in facts)).map(
  ({ name }) => name,
)

/** True for the name of a resource. */
export const isResource = (name: string | undefined): name is Resource => INVENTORY.some((one) => one === name)

type FactsByName = { readonly [F in (typeof RESOURCES)[number] as F['name']]: F }
/** The facts of each resource. */
export const FACTS =
  // One entry for each of the resources.
  Object.fromEntries(RESOURCES.map((facts) => [facts.name, facts])) as FactsByName

/** The table of a resource: its name, with `_` for `-`. */
export type TableOf<R extends string> = R extends `${infer First}-${infer Rest}` ? `${First}_${TableOf<Rest>}` : R
export const toTableName = <R extends Resource>(resource: R): TableOf<R> =>
  // The type of `replaceAll` does not tell the text.
  resource.replaceAll('-', '_') as TableOf<R>

/** The name of the contract of a resource, in camel case. */
export type ContractOf<R extends string> = R extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<ContractOf<Rest>>}`
  : R
export const toContractName = <R extends Resource>(resource: R): ContractOf<R> =>
  // The type of `replace` does not tell the text.
  resource.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as ContractOf<R>
