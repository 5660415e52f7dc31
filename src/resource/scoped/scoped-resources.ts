/** The resources of objects that may be hidden, and are named by an id. */

import type { Tables } from '../../database/tables.ts'
import { RESOURCES, toTableName } from '../../inventory/resources.ts'
import { hasRefs, type ResourceFacts } from '../facts.ts'
import { getNoun, toKind } from '../nouns.ts'

type Facts = (typeof RESOURCES)[number]

/** The facts of objects that scopes contain, and that have an id. */
type ScopedFacts = Exclude<Facts, { readonly scope: 'everywhere' } | { readonly refs: false }>
type InventoryResource = ScopedFacts['name']

const isScopedFacts = (facts: ResourceFacts): boolean => facts.scope !== 'everywhere' && hasRefs(facts)

/** Resources of the inventory. */
const OWN: readonly InventoryResource[] = RESOURCES.filter((facts): facts is ScopedFacts => isScopedFacts(facts)).map(
  ({ name }) => name,
)

type Following = {
  readonly table: keyof Tables
  readonly noun: string
  /** The resource of their permissions. */
  readonly permissions: string
}

/** Objects that are where their networks, addresses or members are. */
const FOLLOWING = {
  scans: { table: 'discovery_scans', noun: 'scan', permissions: 'discovery' },
  discovery: { table: 'discovered_devices', noun: 'discovered device', permissions: 'discovery' },
  'discovery-rules': { table: 'discovery_rules', noun: 'rule', permissions: 'discovery' },
  conflicts: { table: 'conflicts', noun: 'conflict', permissions: 'conflicts' },
} as const satisfies Readonly<Record<string, Following>>

export type ScopedResource = InventoryResource | keyof typeof FOLLOWING

// `Object.keys` returns `string[]`.
const SCOPED_RESOURCES: readonly ScopedResource[] = [...OWN, ...(Object.keys(FOLLOWING) as (keyof typeof FOLLOWING)[])]

export const isScopedResource = (resource: string): resource is ScopedResource =>
  SCOPED_RESOURCES.some((one) => one === resource)

/** True for a resource of the inventory. */
const isOwn = (resource: ScopedResource): resource is InventoryResource => OWN.some((one) => one === resource)

/** Returns the resource of a kind of the history. */
export const toScopedResource = (kind: string): ScopedResource | undefined =>
  kind === 'discovery-rule' ? 'discovery-rules' : OWN.find((one) => toKind(one) === kind)

export const getScopedTable = (resource: ScopedResource) =>
  isOwn(resource) ? toTableName(resource) : FOLLOWING[resource].table
export const getScopedNoun = (resource: ScopedResource): string =>
  isOwn(resource) ? getNoun(resource) : FOLLOWING[resource].noun
/** Returns the resource of the permissions for its objects. */
export const getScopedPermissions = (resource: ScopedResource): string =>
  isOwn(resource) ? resource : FOLLOWING[resource].permissions

/** True for the permissions of objects that are where others are: an operation with one changes whatever it names. */
export const isOfFollowing = (permission: string): boolean =>
  Object.values(FOLLOWING).some(({ permissions }) => permission.startsWith(`${permissions}:`))
