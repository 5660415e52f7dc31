/** The registry of implementations: one line per feature. */

import { dashboardFeature } from '../answers/dashboard/dashboard.ts'
import { feature as impact } from '../answers/impact/impact.ts'
import { lookupFeature } from '../answers/lookup/lookup.ts'
import { createReportSource, mapReportPermissions, reportsFeature } from '../answers/reports/reports.ts'
import { feature as search } from '../answers/search/search.ts'
import { utilizationFeature } from '../answers/utilization/utilization.ts'
import type { Config } from '../base/config/config.ts'
import type { Logger } from '../base/runtime/log.ts'
import type { Metrics } from '../base/runtime/metrics.ts'
import type { Secrets } from '../base/security/crypto.ts'
import type { Outbound } from '../base/security/outbound.ts'
import type { Passwords } from '../base/security/passwords.ts'
import type { Db } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { discoveryFeature } from '../discovery/discovery.ts'
import type { Listening } from '../discovery/listening/listener.ts'
import type { DnsConnector } from '../dns/client/connector.ts'
import { dnsProvidersFeature } from '../dns/providers/dns-providers.ts'
import { feature as dnsRecords } from '../dns/records/dns-records.ts'
import { dnsZonesFeature } from '../dns/zones/dns-zones.ts'
import { estateFeature } from '../exchange/estate/estate.ts'
import { feedsFeature } from '../exchange/feeds/feeds.ts'
import type { Packs } from '../exchange/packs/files.ts'
import { packsFeature } from '../exchange/packs/packs.ts'
import { feature as addresses } from '../inventory/addresses/addresses.ts'
import { feature as cables } from '../inventory/cables/cables.ts'
import { feature as conflicts } from '../inventory/conflicts/conflicts.ts'
import { customFieldsFeature } from '../inventory/custom-fields/custom-fields.ts'
import { feature as datacenters } from '../inventory/datacenters/datacenters.ts'
import { deviceTypesFeature } from '../inventory/device-types/device-types.ts'
import { feature as devices } from '../inventory/devices/devices.ts'
import { kindsFeature } from '../inventory/kinds/kinds.ts'
import { feature as networks } from '../inventory/networks/networks.ts'
import { feature as planning } from '../inventory/networks/planning.ts'
import { feature as objects } from '../inventory/objects/objects.ts'
import { feature as pools } from '../inventory/pools/pools.ts'
import { feature as ports } from '../inventory/ports/ports.ts'
import { feature as racks } from '../inventory/racks/racks.ts'
import { feature as references } from '../inventory/references/references.ts'
import { feature as relationships } from '../inventory/relationships/relationships.ts'
import { feature as reservations } from '../inventory/reservations/reservations.ts'
import { scannersFeature } from '../inventory/scanners/scanners.ts'
import { feature as spaces } from '../inventory/spaces/spaces.ts'
import { feature as vlans } from '../inventory/vlans/vlans.ts'
import type { History } from '../kernel/changes/history.ts'
import type { Proposals } from '../kernel/changes/proposals.ts'
import type { Feature } from '../kernel/ctx.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Identify } from '../kernel/request.ts'
import { netboxFeature } from '../netbox/netbox.ts'
import { countNewNames, keepNames } from '../netbox/numbers/names.ts'
import { deviceLoginFeature } from '../people/device-login/device-login.ts'
import { factorsFeature } from '../people/factors/factors.ts'
import type { Requirement } from '../people/factors/requirement.ts'
import { createSignInFactors } from '../people/factors/sign-in-factor.ts'
import { feature as groups } from '../people/groups/groups.ts'
import { feature as keys } from '../people/keys/keys.ts'
import { createOauth } from '../people/oauth/oauth.ts'
import { feature as roles } from '../people/roles/roles.ts'
import { feature as scopes } from '../people/scopes/scopes.ts'
import type { CheckCredentials } from '../people/sessions/credential-check.ts'
import { sessionsFeature } from '../people/sessions/sessions.ts'
import { createSignIn } from '../people/sessions/sign-in.ts'
import type { SessionStore } from '../people/sessions/store.ts'
import { signInProviders, ssoFeature } from '../people/sso/sso.ts'
import { usersFeature } from '../people/users/users.ts'
import { feature as views } from '../people/views/views.ts'
import { proposalMailFeature } from '../proposals/mail.ts'
import { createMeans } from '../proposals/means.ts'
import { feature as policies } from '../proposals/policies/policies.ts'
import { createProposals, proposalsFeature } from '../proposals/proposals.ts'
import { reviewFeature } from '../proposals/review/reviews.ts'
import { auditFeature } from '../record/audit/audit.ts'
import { createObjectNames } from '../record/audit/object-names.ts'
import { eventsFeature } from '../record/events/events.ts'
import { historyFeature } from '../record/history/history.ts'
import { webhooksFeature } from '../record/webhooks/webhooks.ts'
import type { startScan } from '../scanner/process.ts'
import { credentialsFeature } from '../secrets/credentials/credentials.ts'
import { secretsFeature } from '../secrets/secrets/secrets.ts'
import { databaseFeature } from '../service/database/database.ts'
import { demoFeature } from '../service/demo/demo.ts'
import { docsFeature } from '../service/docs/docs.ts'
import { createEstateMetrics } from '../service/estate-metrics/estate-metrics.ts'
import { mcpFeature } from '../service/mcp/mcp.ts'
import { systemFeature } from '../service/system/system.ts'
import { sourceObjectsFeature } from '../sources/judge/operations/objects.ts'
import { sourcesFeature } from '../sources/sources.ts'
import { countByStatus } from '../sources/store.ts'
import { contracts, routes } from './contracts.ts'
import { listReservedWords } from './reserved-words.ts'

/** The dependencies of the features on the process that they run in. */
export type FeatureOptions = {
  readonly config: Config
  readonly secrets: Secrets
  readonly passwords: Passwords
  readonly sessions: SessionStore
  readonly version: string
  readonly lastTick: () => number
  readonly metrics: Metrics
  readonly startScan: typeof startScan
  readonly listening: Listening
  /** The packs that may be installed. */
  readonly packs: () => Packs
  readonly isStopping: () => boolean
  /** Returns the kernel that runs these features. */
  readonly kernel: () => Kernel<Tables>
  readonly db: Db<Tables>
  readonly history: History<Tables>
  readonly log: Logger
  readonly now: () => Date
  readonly outbound: Outbound
  /** The client of requests to identity providers. */
  readonly providerOutbound: Outbound
  readonly dns: DnsConnector
  /** Identifies the caller of a request by its credentials. */
  readonly identify: Identify
  /** Checks which of the credentials of earlier requests are still valid. */
  readonly checkCredentials: CheckCredentials
  /** Decides which users need a second factor. */
  readonly requirement: Requirement
  /** Settles when a user exists. */
  readonly firstUser: () => Promise<unknown>
}

export type Features = {
  readonly features: readonly Feature[]
  /** The part of the proposals that the kernel calls. */
  readonly proposals: Proposals<Tables>
}

export const createFeatures = (options: FeatureOptions): Features => {
  const objectNames = createObjectNames(contracts)
  const signInFactors = createSignInFactors(options)
  const signIn = createSignIn({ ...options, signInFactors })
  const oauth = createOauth({ ...options, signIn })
  const listWarningSources = () => features.flatMap(({ warnings }) => (warnings ? [warnings] : []))
  const reports = { permissions: mapReportPermissions(), read: createReportSource(options.config) }
  const features: readonly Feature[] = [
    kindsFeature({ reserved: listReservedWords }),
    customFieldsFeature(options),
    spaces,
    datacenters,
    networks,
    planning,
    // After networks: it reads them when a datacenter is deleted.
    vlans,
    pools,
    reservations,
    addresses,
    racks,
    deviceTypesFeature(options),
    devices,
    ports,
    cables,
    objects,
    relationships,
    references,
    scannersFeature(options),
    discoveryFeature(options),
    eventsFeature(options),
    webhooksFeature({ ...options, reports }),
    feedsFeature(options),
    dnsProvidersFeature(options),
    dnsZonesFeature(options),
    dnsRecords,
    conflicts,
    utilizationFeature(options),
    impact,
    search,
    lookupFeature(options),
    reportsFeature(options),
    dashboardFeature({ ...options, names: objectNames, countSources: countByStatus }),
    credentialsFeature(options),
    secretsFeature(options),
    roles,
    groups,
    scopes,
    usersFeature(options),
    views,
    policies,
    proposalMailFeature(options),
    keys,
    factorsFeature(options),
    sessionsFeature({ ...options, signIn, signInFactors, signInProviders }),
    ssoFeature(options),
    deviceLoginFeature(options),
    oauth.feature,
    auditFeature({ ...options, objectNames }),
    databaseFeature(options),
    createEstateMetrics(options),
    systemFeature({ ...options, signInProviders, warningSources: listWarningSources }),
  ]
  const ofResources = features.flatMap((feature) => feature.operations)
  const history = historyFeature({ ...options, operations: ofResources })
  const names = { keep: keepNames, countNew: countNewNames }
  const estate = estateFeature({ ...options, operations: ofResources, keepNames: names })
  const packs = packsFeature({ ...options, operations: ofResources })
  const sourceObjects = sourceObjectsFeature({ ...options.config, operations: ofResources })
  const sources = sourcesFeature({ ...options, operations: ofResources })
  const ofEstate = [...ofResources, ...history.operations, ...estate.operations, ...packs.operations]
  const demo = demoFeature({ ...options, operations: ofEstate, keepNames: names })
  const operations = [...ofEstate, ...sourceObjects.operations, ...demo.operations, ...sources.operations]
  const means = createMeans({ ...options, operations })
  const proposals = proposalsFeature(means, options)
  const reviews = reviewFeature(means)
  const all: readonly Feature[] = [
    ...features,
    history,
    estate,
    packs,
    sourceObjects,
    demo,
    sources,
    docsFeature({ ...options, contracts, routes }),
    netboxFeature({ ...options, operations: ofEstate }),
    proposals,
    reviews,
    mcpFeature({
      ...options,
      operations: [...operations, ...proposals.operations, ...reviews.operations],
      mcpAuthenticator: oauth.mcpAuthenticator,
    }),
  ]
  return { features: all, proposals: createProposals(means) }
}
