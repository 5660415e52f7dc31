/** The registry of tables: the tables of all features, as one type for Kysely. */

import type { UtilizationTables } from '../answers/utilization/table.ts'
import type { DiscoveryTables } from '../discovery/table.ts'
import type { DnsProviderTables } from '../dns/providers/table.ts'
import type { DnsRecordTables } from '../dns/records/table.ts'
import type { DnsZoneTables } from '../dns/zones/table.ts'
import type { FeedTables } from '../exchange/feeds/table.ts'
import type { CableTables } from '../inventory/cables/table.ts'
import type { ConflictTables } from '../inventory/conflicts/table.ts'
import type { DeviceTypeTables } from '../inventory/device-types/table.ts'
import type { DeviceTables } from '../inventory/devices/table.ts'
import type { NetworkTables } from '../inventory/networks/table.ts'
import type { PoolTables } from '../inventory/pools/table.ts'
import type { PortTables } from '../inventory/ports/table.ts'
import type { RelationshipTables } from '../inventory/relationships/table.ts'
import type { ReservationTables } from '../inventory/reservations/table.ts'
import type { FACTS, Resource, TableOf } from '../inventory/resources.ts'
import type { SpaceTables } from '../inventory/spaces/table.ts'
import type { OccupancyTables } from '../inventory/used-addresses/table.ts'
import type { VlanTables } from '../inventory/vlans/table.ts'
import type { IdempotencyTables } from '../kernel/changes/idempotency.ts'
import type { RefTables } from '../kernel/changes/object-refs.ts'
import type { JobTables } from '../kernel/jobs/job-leases.ts'
import type { DeviceLoginTables } from '../people/device-login/table.ts'
import type { FactorTables } from '../people/factors/table.ts'
import type { GroupTables } from '../people/groups/table.ts'
import type { KeyTables } from '../people/keys/table.ts'
import type { OauthTables } from '../people/oauth/table.ts'
import type { RoleTables } from '../people/roles/table.ts'
import type { ScopeTables } from '../people/scopes/table.ts'
import type { SessionTables } from '../people/sessions/table.ts'
import type { SsoTables } from '../people/sso/table.ts'
import type { UserTables } from '../people/users/table.ts'
import type { AuditTables } from '../record/audit/table.ts'
import type { EventTables } from '../record/events/table.ts'
import type { HistoryTables } from '../record/history/table.ts'
import type { WebhookTables } from '../record/webhooks/table.ts'
import type { RowOf } from '../resource/columns.ts'
import type { CustomFieldTables } from '../resource/custom/table.ts'
import type { CredentialTables } from '../secrets/credentials/table.ts'
import type { SecretTables } from '../secrets/secrets/table.ts'
import type { PlanTables } from '../service/mcp/table.ts'

type OwnTables = CustomFieldTables &
  SpaceTables &
  NetworkTables &
  VlanTables &
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
