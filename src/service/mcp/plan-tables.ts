/** Describes the rows of each table for plans: noun, name, visible fields. Reads given rows, never the tables. */

import { contracts } from '../../app/contracts.ts'
import { toText } from '../../contract/unknown.ts'
import type { Row, TableRule } from '../../database/journal.ts'
import { formatName } from '../../inventory/relationships/relationships.ts'
import { isResource } from '../../inventory/resources.ts'
import { type CrudResource, listCrudResources } from '../../kernel/crud-resources.ts'
import type { Permission } from '../../kernel/operation.ts'
import { KIND_NAMES, type Kind } from '../../record/history/kind-names.ts'
import { getNoun } from '../../resource/nouns.ts'

/** The objects of one table. */
export type PlanTable = TableRule & {
  /** The singular noun: `device`. */
  readonly noun: string
  /** The permission to see the objects and their number; undefined for kinds that are only counted. */
  readonly permission?: Permission
  /** The visible fields of a row; never secrets. */
  readonly view?: (row: Row) => Row
  /** A plan shows the fields of created and deleted objects too. */
  readonly showsValues?: true
  /** The display name of a row. @param devices the names of devices by id */
  readonly name?: (row: Row, devices: ReadonlyMap<string, string>) => string
}

const pick =
  (...columns: readonly string[]) =>
  (row: Row): Row =>
    Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))

const getName = (row: Row): string => toText(row.name)

/** The column `doc` holds a JSON object. */
const parseDoc = ({ doc }: Row): Row => JSON.parse(toText(doc)) as Row

const toDeviceView = (row: Row): Row => {
  const { id: _, created_at: _created, updated_at: _updated, ...fields } = parseDoc(row)
  return fields
}

const toDiscoveredView = (row: Row): Row => ({
  ...pick('ip', 'hostname', 'mac_address', 'vendor', 'network_id', 'promoted_to_device_id')(parseDoc(row)),
  ...pick('bucket', 'is_ignored')(row),
})

/** Builds the table of a resource, which has its name; a row has a column for each field that is neither a list nor an object. */
const buildPlanTable = ({ name, noun, permission, fields }: CrudResource): PlanTable => ({
  noun: isResource(name) ? getNoun(name) : noun.replaceAll('-', ' '),
  key: ['id'],
  permission,
  view: (row) => ({
    ...pick(...fields())(row),
    // The column holds a JSON object.
    ...(typeof row.refs === 'string' && { refs: JSON.parse(row.refs) as Row }),
  }),
  name: getName,
})

const DERIVED: Readonly<Record<string, PlanTable>> = Object.fromEntries(
  listCrudResources(contracts).map((resource) => [resource.name.replaceAll('-', '_'), buildPlanTable(resource)]),
)

/** Returns the derived description of a table, with differences. */
const buildDerived = (table: string, differences: Partial<PlanTable>): PlanTable => {
  const { [table]: own } = DERIVED
  if (!own) throw new Error(`no resource of the registry has the table ${table}`)
  return { ...own, ...differences }
}

/** Returns the noun and the permission that the history shows objects of a kind by. */
const getHistoryNames = (kind: Kind) => ({ noun: KIND_NAMES[kind].noun, permission: KIND_NAMES[kind].read })

const RRSET = {
  key: ['fqdn', 'type'],
  permission: 'dns:read',
  view: pick('ttl', 'values'),
  showsValues: true,
  name: ({ fqdn, type }: Row) => `${toText(fqdn)} ${toText(type)}`,
} as const

/**
 * Keyed by table. Rows of all other tables are parts of these objects, or internal to the server; plan-tables.test.ts names them.
 */
export const PLAN_TABLES: Readonly<Record<string, PlanTable>> = {
  ...DERIVED,
  reservations: buildDerived('reservations', { name: (row) => toText(row.hostname) || toText(row.ip_address) }),
  devices: buildDerived('devices', { view: toDeviceView }),
  relationships: {
    ...getHistoryNames('relationship'),
    key: ['parent_id', 'child_id', 'type'],
    view: pick('notes'),
    name: ({ parent_id, child_id, type }, devices) =>
      formatName(devices, { parent_id: toText(parent_id), child_id: toText(child_id), type: toText(type) }),
  },
  discovered_devices: {
    noun: 'discovered device',
    key: ['id'],
    permission: 'discovery:read',
    view: toDiscoveredView,
    name: (row) => {
      const { hostname, ip } = parseDoc(row)
      return toText(hostname) || toText(ip)
    },
  },
  discovery_scans: {
    noun: 'scan',
    key: ['id'],
    permission: 'discovery:read',
    view: pick('network_id', 'scan_type', 'status'),
    name: (row) => `${toText(row.scan_type)} scan of ${toText(row.created_at)}`,
  },
  discovery_rules: buildDerived('discovery_rules', { name: (row) => `rule of network ${toText(row.network_id)}` }),
  discovery_locks: {
    ...getHistoryNames('discovery-lock'),
    key: ['device_id', 'field'],
    view: pick('created_by'),
    name: ({ device_id, field }) => `${toText(field)} of ${toText(device_id)}`,
  },
  discovery_host_keys: { noun: 'pinned host key', key: ['place'] },
  conflicts: {
    noun: 'conflict',
    key: ['id'],
    permission: 'conflicts:read',
    view: pick('type', 'status', 'description'),
    name: (row) => toText(row.description),
  },
  webhooks: buildDerived('webhooks', { cascades: [{ table: 'webhook_deliveries', column: 'webhook_id' }] }),
  webhook_deliveries: { noun: 'delivery', key: ['id'] },
  users: buildDerived('users', {
    cascades: [
      { table: 'api_keys', column: 'user_id' },
      { table: 'sessions', column: 'user_id' },
      { table: 'grants', column: 'user_id' },
      { table: 'group_members', column: 'user_id' },
      { table: 'oauth_grants', column: 'user_id' },
      { table: 'totp', column: 'user_id' },
      { table: 'passkeys', column: 'user_id' },
      { table: 'identities', column: 'user_id' },
    ],
    name: (row) => toText(row.username),
  }),
  grants: { noun: 'granted role', key: ['id'] },
  groups: buildDerived('groups', {
    cascades: [
      { table: 'grants', column: 'group_id' },
      { table: 'group_members', column: 'group_id' },
    ],
  }),
  group_members: { noun: 'membership', key: ['group_id', 'user_id', 'source'] },
  api_keys: {
    noun: 'API key',
    key: ['id'],
    permission: 'apikeys:read',
    view: pick('name', 'expires_at'),
    name: getName,
  },
  sessions: { noun: 'session', key: ['id'] },
  totp: { noun: 'authenticator app', key: ['id'] },
  passkeys: { noun: 'passkey', key: ['id'] },
  identities: { noun: 'identity', key: ['id'] },
  dns_providers: buildDerived('dns_providers', { noun: 'DNS server' }),
  dns_zones: buildDerived('dns_zones', { noun: 'DNS zone' }),
  dns_records: buildDerived('dns_records', { noun: 'DNS record' }),
  oauth_clients: {
    noun: 'OAuth client',
    key: ['id'],
    cascades: [{ table: 'oauth_grants', column: 'client_id' }],
    permission: 'oauth-clients:read',
    view: pick('name', 'scope'),
    name: getName,
  },
  oauth_grants: { noun: 'OAuth consent', key: ['id'] },
}

/** Objects that are not rows, by the name that an operation with `showsChanges` gives. */
export const SHOWN_KINDS: Readonly<Record<string, PlanTable>> = {
  rrset: { noun: 'RRset', ...RRSET },
  own_rrset: { noun: 'own RRset', ...RRSET },
}
