/** The registry of tables: the tables of all features, as one type for Kysely. */
import type { IdempotencyTables } from '../platform/operation/idempotency.ts'
import type { RefTables } from '../platform/operation/object-refs.ts'
import type { JobTables } from '../platform/runtime/job-leases.ts'
import type { RowOf } from '../resource/columns.ts'
import type { AuditTables } from './audit/table.ts'
import type { CableTables } from './cables/table.ts'
import type { ConflictTables } from './conflicts/table.ts'
import type { CredentialTables } from './credentials/table.ts'
import type { CustomFieldTables } from './custom-fields/table.ts'
import type { DeviceLoginTables } from './device-login/table.ts'
import type { DeviceTypeTables } from './device-types/table.ts'
import type { DeviceTables } from './devices/table.ts'
import type { DiscoveryTables } from './discovery/table.ts'
import type { DnsProviderTables } from './dns-providers/table.ts'
import type { DnsRecordTables } from './dns-records/table.ts'
import type { DnsZoneTables } from './dns-zones/table.ts'
import type { EventTables } from './events/table.ts'
import type { FactorTables } from './factors/table.ts'
import type { FeedTables } from './feeds/table.ts'
import type { GroupTables } from './groups/table.ts'
import type { HistoryTables } from './history/table.ts'
import type { FACTS, Resource, TableOf } from './inventory.ts'
import type { KeyTables } from './keys/table.ts'
import type { PlanTables } from './mcp/table.ts'
import type { NetworkTables } from './networks/table.ts'
import type { OauthTables } from './oauth/table.ts'
import type { PoolTables } from './pools/table.ts'
import type { PortTables } from './ports/table.ts'
import type { RelationshipTables } from './relationships/table.ts'
import type { ReservationTables } from './reservations/table.ts'
import type { RoleTables } from './roles/table.ts'
import type { ScopeTables } from './scopes/table.ts'
import type { SecretTables } from './secrets/table.ts'
import type { SessionTables } from './sessions/table.ts'
import type { SpaceTables } from './spaces/table.ts'
import type { SsoTables } from './sso/table.ts'
import type { OccupancyTables } from './used-addresses/table.ts'
import type { UserTables } from './users/table.ts'
import type { UtilizationTables } from './utilization/table.ts'
import type { WebhookTables } from './webhooks/table.ts'

type OwnTables = CustomFieldTables &
  SpaceTables &
  NetworkTables &
  PoolTables &
  ReservationTables &
  OccupancyTables &
  DeviceTypeTables &
  DeviceTables &
  PortTables &
  CableTables &
  RelationshipTables &
  IdempotencyTables &
  RefTables &
  JobTables &
  RoleTables &
  UserTables &
  GroupTables &
  ScopeTables &
  KeyTables &
  SessionTables &
  SsoTables &
  DeviceLoginTables &
  SecretTables &
  CredentialTables &
  DiscoveryTables &
  ConflictTables &
  UtilizationTables &
  EventTables &
  OauthTables &
  WebhookTables &
  FactorTables &
  FeedTables &
  DnsProviderTables &
  DnsZoneTables &
  DnsRecordTables &
  PlanTables &
  AuditTables &
  HistoryTables

/** The resources of the inventory without a `table.ts`. */
export type PlainTable = { [R in Resource]: TableOf<R> extends keyof OwnTables ? never : R }[Resource]

/** Their rows follow from their facts. */
type PlainTables = { [R in PlainTable as TableOf<R>]: RowOf<(typeof FACTS)[R]> }

export type Tables = OwnTables & PlainTables
