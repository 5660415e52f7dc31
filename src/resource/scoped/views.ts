/** The views of tables for a caller who only reaches some areas: one of each table that a scoped read may name. */

import { type TableView, TableViews } from '../../database/cte-views.ts'
import type { PastSql } from '../../database/query/past-sql.ts'
import type { Tables } from '../../database/tables.ts'
import { INVENTORY, RESOURCES, type Resource, toTableName } from '../../inventory/resources.ts'
import type { ScopeFilter } from '../../kernel/caller.ts'
import { listHidden } from '../../kernel/rights/access.ts'
import { hasRefs, listFollowed, type ResourceFacts } from '../facts.ts'
import type { AreaTable } from './area-tables.ts'
import { OUTSIDE } from './outside.ts'

type Name = keyof Tables & string

/**
 * Tables without anything of the estate that is hidden from some callers, and the indexes of searches, where rows are matched by number.
 */
const AS_STORED = [
  'space_keys',
  'devices_search',
  ...RESOURCES.filter((facts) => 'hasSearchIndex' in facts).map(({ name }) => `${toTableName(name)}_search`),
]

/** The tables of resources with several tables. */
const TABLES_OF: Readonly<Partial<Record<Resource, readonly Name[]>>> = {
  pools: ['pools', 'pool_tags'],
  cables: ['cables', 'cable_ends'],
  devices: ['devices', 'addresses', 'device_tags', 'device_domains', 'network_addresses'],
  scanners: ['scanners', 'scanner_states'],
}

/** Tables that all readers of their resource see whole. */
const UNDIVIDED: readonly Name[] = RESOURCES.flatMap(({ name, scope }) =>
  scope === 'everywhere' ? (TABLES_OF[name] ?? [toTableName(name)]) : [],
)

/** Returns the tables of these resources, which show no row to a caller without the permissions for them. */
export const listTables = (resources: readonly string[]): ReadonlySet<string> =>
  new Set([
    ...INVENTORY.flatMap((one) => (resources.includes(one) ? (TABLES_OF[one] ?? [toTableName(one)]) : [])),
    // Scanners show the number of their scans.
    ...(resources.includes('discovery') ? ['discovery_scans'] : []),
  ])

/** The tables with rows that are visible only by their own areas, with the resources of their readers. */
export const BY_OWN_AREA = {
  ...{ datacenters: 'datacenters', networks: 'networks', pools: 'pools', reservations: 'reservations' },
  ...{ devices: 'devices', discovered_devices: 'discovery', objects: 'objects' },
} as const satisfies Partial<Record<AreaTable, string>>

export type TableByArea = keyof typeof BY_OWN_AREA

// `Object.keys` returns `string[]`.
const TABLES_BY_AREA = Object.keys(BY_OWN_AREA) as TableByArea[]

/** Returns the areas of the objects that the readers of a resource see; undefined for all of them. */
export const getAreas = ({ areas, byResource }: ScopeFilter, resource: string): ReadonlySet<number> | undefined =>
  byResource?.get(resource) ?? areas

/** The tables of objects that have custom values and refs. */
const HOLDERS: readonly Name[] = RESOURCES.flatMap((facts) =>
  hasRefs(facts) && facts.name !== 'custom-fields' ? [toTableName(facts.name)] : [],
)

/** A table with rows that are visible with the object that their column names. */
type FollowingTable = {
  readonly table: Name
  readonly resource: Resource
  readonly column: string
  readonly parent: AreaTable
}

const FOLLOWING: readonly FollowingTable[] = RESOURCES.flatMap((facts: ResourceFacts) => {
  const [column = '', second] = listFollowed(facts)
  const field = facts.fields[column]
  if (second !== undefined || field?.type !== 'reference') return []
  // The referenced object has an area of its own.
  const resource = facts.name as Resource
  return [{ table: toTableName(resource), resource, column, parent: toTableName(field.to as Resource) as AreaTable }]
})

/**
 * Builds the views of a scoped call. An address, a tag, a port or a cable is visible with its devices. A rack and a VLAN are visible
 * with their datacenter, scans and rules with their network. A space is also visible with a network in it.
 */
export const createViews = (engine: PastSql, scopeFilter: ScopeFilter): TableViews => {
  const hidden = listTables(listHidden(scopeFilter))
  /** Returns the condition that an object with an area is seen by the readers of a resource. */
  const isReached = (resource: string, alias: string): string => {
    const reached = getAreas(scopeFilter, resource)
    if (reached === undefined) return '1 = 1'
    // SQLite uses the index of areas only with its own condition.
    return reached.size === 0
      ? '1 = 0'
      : `${alias}.area <> 0 AND ${alias}.area IN (${[...reached].map(Math.trunc).join(', ')})`
  }
  const view = (name: Name, condition: string, stored: readonly Name[] = []): TableView => ({
    name,
    stored: [name, ...stored],
    sql: `SELECT s.* FROM ${engine.stored(name)} AS s WHERE ${condition}`,
  })
  /** Returns the condition that the object with an id is seen by the readers of a resource. */
  const one = (table: AreaTable, id: string, resource: string = table) =>
    getAreas(scopeFilter, resource) === undefined
      ? '1 = 1'
      : `EXISTS (SELECT 1 FROM ${engine.stored(table)} AS p WHERE p.id = ${id} AND ${isReached(resource, 'p')})`
  const child = (name: Name, column: string, [parent, resource]: readonly [AreaTable, string?]) =>
    view(name, one(parent, `s.${column}`, resource), [parent])
  const atDevice = (port: string) =>
    getAreas(scopeFilter, 'cables') === undefined
      ? '1 = 1'
      : `EXISTS (SELECT 1 FROM ${engine.stored('ports')} AS e JOIN ${engine.stored('devices')} AS p ON p.id = e.device_id
      WHERE e.id = s.${port} AND ${isReached('cables', 'p')})`
  const ofScan = `EXISTS (SELECT 1 FROM ${engine.stored('discovery_scans')} AS c
    WHERE c.id = s.scan_id AND ${one('networks', 'c.network_id', 'discovery')})`
  // A row is visible if one of the views before it, or a definition, has its object.
  const held = HOLDERS.map((name) => `EXISTS (SELECT 1 FROM ${name} AS h WHERE h.id = s.object_id)`).join(' OR ')
  const isMember = (id: string) => `(${one('devices', id, 'conflicts')} OR ${one('networks', id, 'conflicts')})`
  const members = `FROM ${engine.stored('conflict_members')} AS m WHERE m.conflict_id = s.id AND`
  // No id has a character that JSON escapes.
  const buildIdList = (table: 'devices' | 'networks') =>
    `coalesce((SELECT '["' || string_agg(m.member_id, '","' ORDER BY m.member_id) || '"]' ${members}
      ${one(table, 'm.member_id', 'conflicts')}), '[]')`
  const description = `CASE WHEN NOT EXISTS (SELECT 1 ${members} NOT ${isMember('m.member_id')}) THEN s.description
    WHEN s.type = 'duplicate_ip' THEN '${OUTSIDE.duplicate_ip}' || s.ip_address
    ELSE '${OUTSIDE.overlapping_subnet}' || substr(s.subnets, 3, length(s.subnets) - 4) END`
  const conflicts: TableView = {
    name: 'conflicts',
    stored: ['conflicts', 'conflict_members', 'devices', 'networks'],
    sql: `SELECT s.id, s.type, s.cause, s.status, ${description} AS description, s.ip_address,
      ${buildIdList('devices')} AS device_ids, ${buildIdList('networks')} AS network_ids, s.subnets,
      s.detected_at, s.resolved_at, s.resolved_by, s.notes, s.space_id
      FROM ${engine.stored('conflicts')} AS s WHERE EXISTS (SELECT 1 ${members} ${isMember('m.member_id')})`,
  }
  const empty = UNDIVIDED.filter((name) => hidden.has(name))
  return new TableViews(
    engine,
    [
      ...empty.map((name) => view(name, '1 = 0')),
      ...TABLES_BY_AREA.map((name) => view(name, isReached(BY_OWN_AREA[name], 's'))),
      view(
        'spaces',
        `(${isReached('spaces', 's')}) OR EXISTS (SELECT 1 FROM ${engine.stored('networks')} AS p
          WHERE p.space_id = s.id AND ${isReached('spaces', 'p')})`,
        ['networks'],
      ),
      child('addresses', 'device_id', ['devices']),
      child('device_tags', 'device_id', ['devices']),
      child('device_domains', 'device_id', ['devices']),
      child('network_addresses', 'device_id', ['devices']),
      child('pool_tags', 'pool_id', ['pools']),
      ...FOLLOWING.map(({ table, resource, column, parent }) => child(table, column, [parent, resource])),
      view(
        'relationships',
        `${one('devices', 's.parent_id', 'relationships')} AND ${one('devices', 's.child_id', 'relationships')}`,
        ['devices'],
      ),
      view('cables', `${atDevice('a_port_id')} AND ${atDevice('b_port_id')}`, ['ports', 'devices']),
      view('cable_ends', `${atDevice('port_id')} AND ${atDevice('other_port_id')}`, ['ports', 'devices']),
      view('custom_values', held),
      view('refs', held),
      view('utilization_samples', `${one('networks', 's.object_id')} OR ${one('pools', 's.object_id')}`, [
        'networks',
        'pools',
      ]),
      child('discovery_scans', 'network_id', ['networks', 'discovery']),
      child('discovery_rules', 'network_id', ['networks', 'discovery']),
      child('presence', 'network_id', ['networks', 'discovery']),
      view('discovery_scan_states', ofScan, ['discovery_scans', 'networks']),
      view('discovery_changes', ofScan, ['discovery_scans', 'networks']),
      child('discovered_texts', 'device_id', ['discovered_devices', 'discovery']),
      child('discovered_addresses', 'device_id', ['discovered_devices', 'discovery']),
      child('discovered_certificates', 'device_id', ['discovered_devices', 'discovery']),
      child('discovered_identities', 'device_id', ['discovered_devices', 'discovery']),
      child('discovery_links', 'device_id', ['discovered_devices', 'discovery']),
      child('discovery_locks', 'device_id', ['devices', 'discovery']),
      conflicts,
      view('conflict_members', isMember('s.member_id'), ['devices', 'networks']),
    ],
    [...AS_STORED, ...UNDIVIDED],
  )
}
