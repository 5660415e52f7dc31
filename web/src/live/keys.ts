/**
 * The first parts of the keys of the queries that an event affects, by the first part of its name. The build evaluates this file, so that
 * the first page loads no facts.
 */
import { RESOURCES } from '../../../src/inventory/resources.ts'
import type { ResourceFacts } from '../../../src/resource/facts.ts'
import { toKind } from '../../../src/resource/nouns.ts'

type Facts = (typeof RESOURCES)[number]
type Keys = readonly string[]

const DEVICES = 'devices'
const CUSTOM_FIELDS = 'custom-fields'

/** Returns the keys of the lists and pages of a resource. The list of devices is in their worker. */
const listOwnKeys = ({ name }: Facts): Keys => (name === DEVICES ? [toKind(name)] : [name, toKind(name)])

/** A new name of a custom field is a new name of its values, and no change of their objects. */
const isRefreshedBy = ({ computed = {}, refreshedBy = [], custom }: ResourceFacts, name: string): boolean =>
  Object.values(computed).some(({ of }) => of === name) ||
  refreshedBy.includes(name) ||
  (name === CUSTOM_FIELDS && custom !== undefined)

const ZONES = ['dns-zones', 'dns-zone']

/** The resources from which an impact is computed. */
const OF_IMPACT: readonly string[] = [DEVICES, 'relationships', 'cables', 'ports']

/** Returns the keys of all lists and pages that show a resource, or that are computed from it. */
const listResourceKeys = (facts: Facts): Keys => {
  const { name, isOptional }: ResourceFacts = facts
  return [
    // The event has the device itself.
    ...(name === DEVICES ? ZONES : listOwnKeys(facts)),
    ...RESOURCES.filter((other) => isRefreshedBy(other, name)).flatMap(listOwnKeys),
    ...(OF_IMPACT.includes(name) ? ['impact'] : []),
    // The first object of an optional resource adds a page to the sidebar.
    isOptional ? 'me' : 'dashboard',
  ]
}

/** By the names of resources. */
export const RESOURCE_KEYS: Readonly<Record<string, Keys>> = Object.fromEntries(
  RESOURCES.map((facts) => [facts.name, listResourceKeys(facts)]),
)

/** By the first parts of the names of events that are about no resource. */
export const OTHER_KEYS: Readonly<Record<string, Keys>> = {
  dns: [...ZONES, 'me'],
  conflict: ['conflicts', 'inbox', 'dashboard'],
  // Scans wait for scanners, and fail with them.
  proposal: ['proposals', 'proposal'],
  scanner: ['scanners', 'scanner', 'scans', 'scan', 'me', 'dashboard'],
  source: ['sources', 'source', 'source-runs', 'source-objects', 'dashboard'],
  discovery: ['scans', 'discovered-devices', 'inbox', 'dashboard'],
}
