/** The registry of contracts: one line per feature. Browser-safe; the implementations are in handlers.ts. */

import { dashboard } from '../answers/dashboard/api.ts'
import { lookup } from '../answers/lookup/api.ts'
import { search } from '../answers/search/api.ts'
import { utilization } from '../answers/utilization/api.ts'
import { discovery, discoveryRules, inbox, scans } from '../discovery/api.ts'
import { discoveryLocks } from '../discovery/inbox/locks-api.ts'
import { leases } from '../discovery/leases/leases-api.ts'
import { dnsProviders } from '../dns/providers/api.ts'
import { dnsRecords } from '../dns/records/api.ts'
import { dnsZones } from '../dns/zones/api.ts'
import { estate, estateRoutes } from '../exchange/estate/api.ts'
import { feedRoutes, feeds } from '../exchange/feeds/api.ts'
import { cables } from '../inventory/cables/api.ts'
import { conflicts } from '../inventory/conflicts/api.ts'
import { customFields } from '../inventory/custom-fields/api.ts'
import { datacenters } from '../inventory/datacenters/api.ts'
import { deviceTypes } from '../inventory/device-types/api.ts'
import { devices } from '../inventory/devices/api.ts'
import { networks } from '../inventory/networks/api.ts'
import { planning } from '../inventory/networks/planning-api.ts'
import { pools } from '../inventory/pools/api.ts'
import { ports } from '../inventory/ports/api.ts'
import { rackRoutes, racks } from '../inventory/racks/api.ts'
import { relationships } from '../inventory/relationships/api.ts'
import { reservations } from '../inventory/reservations/api.ts'
import { type ContractOf, RESOURCES, type Resource, toContractName } from '../inventory/resources.ts'
import { spaces } from '../inventory/spaces/api.ts'
import { vlans } from '../inventory/vlans/api.ts'
import type { OperationSet, RawRoute } from '../kernel/operation.ts'
import { deviceLoginRoutes } from '../people/device-login/api.ts'
import { factors } from '../people/factors/api.ts'
import { groups } from '../people/groups/api.ts'
import { keys } from '../people/keys/api.ts'
import { oauthClients, oauthGrants, oauthRoutes } from '../people/oauth/api.ts'
import { roles } from '../people/roles/api.ts'
import { scopes } from '../people/scopes/api.ts'
import { sessionRoutes, sessions } from '../people/sessions/api.ts'
import { identities, ssoProviders, ssoRoutes } from '../people/sso/api.ts'
import { users } from '../people/users/api.ts'
import { grants } from '../people/users/grants-api.ts'
import { audit, auditRoutes } from '../record/audit/api.ts'
import { eventRoutes } from '../record/events/api.ts'
import { histories, history } from '../record/history/api.ts'
import { webhooks } from '../record/webhooks/api.ts'
import { type Crud, crud } from '../resource/crud.ts'
import type { ResourceFacts } from '../resource/facts.ts'
import { credentials } from '../secrets/credentials/api.ts'
import { secrets } from '../secrets/secrets/api.ts'
import { database } from '../service/database/api.ts'
import { docsRoutes } from '../service/docs/api.ts'
import { mcpRoutes } from '../service/mcp/api.ts'
import { system, systemRoutes } from '../service/system/api.ts'

const listed = {
  customFields,
  spaces,
  datacenters,
  vlans,
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

/** The facts of resources with a contract that follows from them. */
type DeclaredFacts = (typeof RESOURCES)[number] extends infer F
  ? F extends ResourceFacts
    ? ContractOf<F['name']> extends keyof typeof listed
      ? never
      : F
    : never
  : never
type DeclaredContracts = { readonly [F in DeclaredFacts as ContractOf<F['name']>]: Crud<F>['operations'] }

// One contract for each of these facts.
const declared = Object.fromEntries(
  RESOURCES.map((facts: ResourceFacts) => [toContractName(facts.name as Resource), facts] as const)
    .filter(([name]) => !Object.hasOwn(listed, name))
    .map(([name, facts]) => [name, crud(facts).operations]),
) as object as DeclaredContracts

export const contracts = { ...listed, ...declared }

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
