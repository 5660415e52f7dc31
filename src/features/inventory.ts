/**
 * The registry of names: the resources of the inventory. Import, export, permissions, tables without a `table.ts` and the
 * lists of the web UI follow from it. Imports nothing, because the command line and the browser load it.
 */

export const INVENTORY = [
  // The objects that a resource names come before it.
  'spaces',
  'datacenters',
  'vlans',
  'networks',
  'pools',
  'devices',
  'relationships',
  'reservations',
] as const
export type Resource = (typeof INVENTORY)[number]
