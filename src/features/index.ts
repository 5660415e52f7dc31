/** The registry of contracts: one line per feature. Browser-safe; the implementations are in handlers.ts. */
import type { OperationSet, RawRoute } from '../platform/operation/operation.ts'
import { type Crud, crud } from '../resource/crud.ts'
import type { ResourceFacts } from '../resource/facts.ts'
import { audit, auditRoutes } from './audit/api.ts'
import { cables } from './cables/api.ts'
import { conflicts } from './conflicts/api.ts'
import { credentials } from './credentials/api.ts'
import { customFields } from './custom-fields/api.ts'
import { dashboard } from './dashboard/api.ts'
import { database } from './database/api.ts'
import { datacenters } from './datacenters/api.ts'
import { deviceLoginRoutes } from './device-login/api.ts'
import { deviceTypes } from './device-types/api.ts'
import { devices } from './devices/api.ts'
import { discovery, discoveryRules, inbox, scans } from './discovery/api.ts'
import { discoveryLocks } from './discovery/inbox/locks-api.ts'
import { leases } from './discovery/leases/leases-api.ts'
import { dnsProviders } from './dns-providers/api.ts'
import { dnsRecords } from './dns-records/api.ts'
import { dnsZones } from './dns-zones/api.ts'
import { docsRoutes } from './docs/api.ts'
import { estate, estateRoutes } from './estate/api.ts'
import { eventRoutes } from './events/api.ts'
import { factors } from './factors/api.ts'
import { feedRoutes, feeds } from './feeds/api.ts'
import { groups } from './groups/api.ts'
import { histories, history } from './history/api.ts'
import { type ContractOf, RESOURCES, type Resource, toContractName } from './inventory.ts'
import { keys } from './keys/api.ts'
import { lookup } from './lookup/api.ts'
import { mcpRoutes } from './mcp/api.ts'
import { networks } from './networks/api.ts'
import { planning } from './networks/planning-api.ts'
import { oauthClients, oauthGrants, oauthRoutes } from './oauth/api.ts'
import { pools } from './pools/api.ts'
import { ports } from './ports/api.ts'
import { rackRoutes, racks } from './racks/api.ts'
import { relationships } from './relationships/api.ts'
import { reservations } from './reservations/api.ts'
import { roles } from './roles/api.ts'
import { scopes } from './scopes/api.ts'
import { search } from './search/api.ts'
import { secrets } from './secrets/api.ts'
import { sessionRoutes, sessions } from './sessions/api.ts'
import { spaces } from './spaces/api.ts'
import { identities, ssoProviders, ssoRoutes } from './sso/api.ts'
import { system, systemRoutes } from './system/api.ts'
import { users } from './users/api.ts'
import { grants } from './users/grants-api.ts'
import { utilization } from './utilization/api.ts'
import { webhooks } from './webhooks/api.ts'

const first = { customFields, spaces, datacenters } satisfies Record<string, OperationSet>

const others = {
  networks: { ...networks, ...planning },
  pools,
  reservations,
  deviceTypes,
  racks,
  devices,
  ports,
  cables,
  relationships,
  scans,
  discovery,
  discoveryRules,
  inbox,
  discoveryLocks,
  leases,
  utilization,
  conflicts,
  webhooks,
  feeds,
  dnsProviders,
  dnsZones,
  dnsRecords,
  search,
  lookup,
  history,
  histories,
  dashboard,
  credentials,
  secrets,
  roles,
  users,
  groups,
  scopes,
  grants,
  keys,
  factors,
  sessions,
  ssoProviders,
  identities,
  oauthClients,
  oauthGrants,
  audit,
  estate,
  database,
  system,
} satisfies Record<string, OperationSet>

type Listed = typeof first & typeof others

/** The facts of resources with a contract that follows from them. */
type DeclaredFacts = (typeof RESOURCES)[number] extends infer F
  ? F extends ResourceFacts
    ? ContractOf<F['name']> extends keyof Listed
      ? never
      : F
    : never
  : never
type DeclaredContracts = { readonly [F in DeclaredFacts as ContractOf<F['name']>]: Crud<F>['operations'] }

// One contract for each of these facts.
const declared = Object.fromEntries(
  RESOURCES.map((facts: ResourceFacts) => [toContractName(facts.name as Resource), facts] as const)
    .filter(([name]) => !Object.hasOwn(first, name) && !Object.hasOwn(others, name))
    .map(([name, facts]) => [name, crud(facts).operations]),
) as object as DeclaredContracts

/** In the order of the OpenAPI document. */
export const contracts = { ...first, ...declared, ...others }

/** The registry of raw routes. Their requests or answers are not JSON. */
export const routes: readonly RawRoute[] = [
  rackRoutes,
  estateRoutes,
  feedRoutes,
  eventRoutes,
  sessionRoutes,
  ssoRoutes,
  deviceLoginRoutes,
  auditRoutes,
  systemRoutes,
  docsRoutes,
  mcpRoutes,
  oauthRoutes,
].flatMap((set) => Object.values<RawRoute>(set))
