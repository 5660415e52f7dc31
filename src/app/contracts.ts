/** The registry of contracts: one line per feature. Browser-safe; the implementations are in handlers.ts. */

import { dashboard } from '../answers/dashboard/api.ts'
import { impact } from '../answers/impact/api.ts'
import { lookup } from '../answers/lookup/api.ts'
import { reportRoutes, reports } from '../answers/reports/api.ts'
import { search } from '../answers/search/api.ts'
import { utilization } from '../answers/utilization/api.ts'
import { discovery, discoveryRules, inbox, scans } from '../discovery/api.ts'
import { discoveryLocks } from '../discovery/inbox/locks-api.ts'
import { leases } from '../discovery/leases/leases-api.ts'
import { presence } from '../discovery/presence/api.ts'
import { scannerRoutes } from '../discovery/scanners/api.ts'
import { dnsProviders } from '../dns/providers/api.ts'
import { dnsRecords } from '../dns/records/api.ts'
import { dnsZones } from '../dns/zones/api.ts'
import { estate, estateRoutes } from '../exchange/estate/api.ts'
import { feedRoutes, feeds } from '../exchange/feeds/api.ts'
import { packs } from '../exchange/packs/api.ts'
import { conflicts } from '../inventory/conflicts/api.ts'
import { inventory } from '../inventory/contracts.ts'
import { rackRoutes } from '../inventory/racks/api.ts'
import type { OperationSet, RawRoute } from '../kernel/operation.ts'
import { netboxRoutes } from '../netbox/api.ts'
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
import { views } from '../people/views/api.ts'
import { proposalReviews, proposals } from '../proposals/api.ts'
import { policies } from '../proposals/policies/api.ts'
import { audit, auditRoutes } from '../record/audit/api.ts'
import { eventRoutes } from '../record/events/api.ts'
import { histories, history } from '../record/history/api.ts'
import { webhooks } from '../record/webhooks/api.ts'
import { credentials } from '../secrets/credentials/api.ts'
import { secrets } from '../secrets/secrets/api.ts'
import { database } from '../service/database/api.ts'
import { demo } from '../service/demo/api.ts'
import { docsRoutes } from '../service/docs/api.ts'
import { mcpRoutes } from '../service/mcp/api.ts'
import { system, systemRoutes } from '../service/system/api.ts'
import { sourceObjects, sourceRoutes, sources } from '../sources/api.ts'

export const contracts = {
  ...inventory,
  scans,
  discovery,
  discoveryRules,
  inbox,
  discoveryLocks,
  leases,
  presence,
  utilization,
  impact,
  conflicts,
  webhooks,
  feeds,
  dnsProviders,
  dnsZones,
  dnsRecords,
  sources: { ...sources, ...sourceObjects },
  search,
  lookup,
  history,
  histories,
  reports,
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
  views,
  policies,
  proposals: { ...proposals, ...proposalReviews },
  oauthClients,
  oauthGrants,
  audit,
  estate,
  packs,
  demo,
  database,
  system,
} satisfies Record<string, OperationSet>

/** The registry of raw routes. Their requests or answers are not JSON. */
export const routes: readonly RawRoute[] = [
  rackRoutes,
  reportRoutes,
  estateRoutes,
  feedRoutes,
  sourceRoutes,
  scannerRoutes,
  eventRoutes,
  sessionRoutes,
  ssoRoutes,
  deviceLoginRoutes,
  auditRoutes,
  systemRoutes,
  docsRoutes,
  netboxRoutes,
  mcpRoutes,
  oauthRoutes,
].flatMap((set) => Object.values<RawRoute>(set))
