/** Describes the rows of each table for plans: noun, name, visible fields. Reads given rows, never the tables. */
import type { Row, TableRule } from '../../platform/db/journal.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import { CRUD_RESOURCES, type CrudResource } from '../crud-resources.ts'
import { KIND_NAMES, type Kind } from '../history/kind-names.ts'
import { nameBy } from '../relationships/relationships.ts'

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

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const named = (row: Row): string => text(row.name)

/** The column `doc` holds a JSON object. */
const docOf = ({ doc }: Row): Row => JSON.parse(text(doc)) as Row

const deviceView = (row: Row): Row => {
  const { id: _, created_at: _created, updated_at: _updated, ...fields } = docOf(row)
  return fields
}

const discoveredView = (row: Row): Row => ({
  ...pick('ip', 'hostname', 'mac_address', 'vendor', 'network_id', 'promoted_to_device_id')(docOf(row)),
  ...pick('bucket', 'is_ignored')(row),
})

/** The table of a resource has its name; a row has a column for each field that is neither a list nor an object. */
const tableOf = ({ noun, permission, fields }: CrudResource): PlanTable => ({
  noun: noun.replaceAll('-', ' '),
  key: ['id'],
  permission,
  view: (row) => ({
    ...pick(...fields())(row),
    // The column holds a JSON object.
    ...(typeof row.refs === 'string' && { refs: JSON.parse(row.refs) as Row }),
  }),
  name: named,
})

const DERIVED: Readonly<Record<string, PlanTable>> = Object.fromEntries(
  CRUD_RESOURCES.map((resource) => [resource.name.replaceAll('-', '_'), tableOf(resource)]),
)

/** The derived description of a table, with differences. */
const derived = (table: string, differences: Partial<PlanTable>): PlanTable => {
  const { [table]: own } = DERIVED
  if (!own) throw new Error(`no resource of the registry has the table ${table}`)
  return { ...own, ...differences }
}

/** The noun and the permission that the history shows objects of a kind by. */
const sharedWithHistory = (kind: Kind) => ({ noun: KIND_NAMES[kind].noun, permission: KIND_NAMES[kind].read })

const RRSET = {
  key: ['fqdn', 'type'],
  permission: 'dns:read',
  view: pick('ttl', 'values'),
  showsValues: true,
  name: ({ fqdn, type }: Row) => `${text(fqdn)} ${text(type)}`,
} as const

/**
 * By table. Rows of all other tables are parts of these objects, or internal to the server; plan-tables.test.ts names them.
 */
export const PLAN_TABLES: Readonly<Record<string, PlanTable>> = {
  ...DERIVED,
  vlans: derived('vlans', { noun: KIND_NAMES.vlan.noun }),
  reservations: derived('reservations', { name: (row) => text(row.hostname) || text(row.ip_address) }),
  devices: derived('devices', { view: deviceView }),
  relationships: {
    ...sharedWithHistory('relationship'),
    key: ['parent_id', 'child_id', 'type'],
    view: pick('notes'),
    name: ({ parent_id, child_id, type }, devices) =>
      nameBy(devices, { parent_id: text(parent_id), child_id: text(child_id), type: text(type) }),
  },
  discovered_devices: {
    noun: 'discovered device',
    key: ['id'],
    permission: 'discovery:read',
    view: discoveredView,
    name: (row) => {
      const { hostname, ip } = docOf(row)
      return text(hostname) || text(ip)
    },
  },
  discovery_scans: {
    noun: 'scan',
    key: ['id'],
    permission: 'discovery:read',
    view: pick('network_id', 'scan_type', 'status'),
    name: (row) => `${text(row.scan_type)} scan of ${text(row.created_at)}`,
  },
  discovery_rules: derived('discovery_rules', { name: (row) => `rule of network ${text(row.network_id)}` }),
  discovery_locks: {
    ...sharedWithHistory('discovery-lock'),
    key: ['device_id', 'field'],
    view: pick('created_by'),
    name: ({ device_id, field }) => `${text(field)} of ${text(device_id)}`,
  },
  discovery_host_keys: { noun: 'pinned host key', key: ['place'] },
  conflicts: {
    noun: 'conflict',
    key: ['id'],
    permission: 'conflicts:read',
    view: pick('type', 'status', 'description'),
    name: (row) => text(row.description),
  },
  webhooks: derived('webhooks', { cascades: [{ table: 'webhook_deliveries', column: 'webhook_id' }] }),
  webhook_deliveries: { noun: 'delivery', key: ['id'] },
  users: derived('users', {
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
    name: (row) => text(row.username),
  }),
  grants: { noun: 'granted role', key: ['id'] },
  groups: derived('groups', {
    cascades: [
      { table: 'grants', column: 'group_id' },
      { table: 'group_members', column: 'group_id' },
    ],
  }),
  group_members: { noun: 'membership', key: ['group_id', 'user_id', 'source'] },
  api_keys: { noun: 'API key', key: ['id'], permission: 'apikeys:read', view: pick('name', 'expires_at'), name: named },
  sessions: { noun: 'session', key: ['id'] },
  totp: { noun: 'authenticator app', key: ['id'] },
  passkeys: { noun: 'passkey', key: ['id'] },
  identities: { noun: 'identity', key: ['id'] },
  dns_providers: derived('dns_providers', { noun: 'DNS server' }),
  dns_zones: derived('dns_zones', { noun: 'DNS zone' }),
  dns_records: derived('dns_records', { noun: 'DNS record' }),
  oauth_clients: {
    noun: 'OAuth client',
    key: ['id'],
    cascades: [{ table: 'oauth_grants', column: 'client_id' }],
    permission: 'oauth-clients:read',
    view: pick('name', 'scope'),
    name: named,
  },
  oauth_grants: { noun: 'OAuth consent', key: ['id'] },
}

/** By the name that an operation with `showsChanges` gives: objects that are not rows. */
export const SHOWN_KINDS: Readonly<Record<string, PlanTable>> = {
  rrset: { noun: 'RRset', ...RRSET },
  own_rrset: { noun: 'own RRset', ...RRSET },
}
