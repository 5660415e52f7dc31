/**
 * The registry of names: the resources of the inventory. Import, export, permissions, tables without a `table.ts` and the
 * lists of the web UI follow from it. Imports nothing, because the command line and the browser load it.
 */

export const INVENTORY = [
  // The objects that a resource names come before it.
  'custom-fields',
  'spaces',
  'datacenters',
  'vlans',
  'networks',
  'pools',
  'device-types',
  'racks',
  'devices',
  'ports',
  'cables',
  'relationships',
  'reservations',
] as const
export type Resource = (typeof INVENTORY)[number]

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
