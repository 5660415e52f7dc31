/** The registry of implementations: one line per feature. */

import type { Db } from '../platform/db/database.ts'
import type { DnsConnector } from '../platform/dns/connector.ts'
import type { Kernel } from '../platform/operation/kernel.ts'
import type { Identify } from '../platform/operation/request.ts'
import type { Config } from '../platform/runtime/config/config.ts'
import type { Logger } from '../platform/runtime/log.ts'
import type { Metrics } from '../platform/runtime/metrics.ts'
import type { Secrets } from '../platform/security/crypto.ts'
import type { Outbound } from '../platform/security/outbound.ts'
import type { Passwords } from '../platform/security/passwords.ts'
import type { startScan } from '../scanner/process.ts'
import { auditFeature } from './audit/audit.ts'
import { feature as cables } from './cables/cables.ts'
import { feature as conflicts } from './conflicts/conflicts.ts'
import { credentialsFeature } from './credentials/credentials.ts'
import type { Feature } from './ctx.ts'
import { customFieldsFeature } from './custom-fields/custom-fields.ts'
import { feature as dashboard } from './dashboard/dashboard.ts'
import { databaseFeature } from './database/database.ts'
import { feature as datacenters } from './datacenters/datacenters.ts'
import { deviceLoginFeature } from './device-login/device-login.ts'
import { deviceTypesFeature } from './device-types/device-types.ts'
import { feature as devices } from './devices/devices.ts'
import { discoveryFeature } from './discovery/discovery.ts'
import { dnsProvidersFeature } from './dns-providers/dns-providers.ts'
import { feature as dnsRecords } from './dns-records/dns-records.ts'
import { dnsZonesFeature } from './dns-zones/dns-zones.ts'
import { docsFeature } from './docs/docs.ts'
import { estateFeature } from './estate/estate.ts'
import { eventsFeature } from './events/events.ts'
import { factorsFeature } from './factors/factors.ts'
import type { Requirement } from './factors/requirement.ts'
import { createSignInFactors } from './factors/sign-in-factor.ts'
import { feedsFeature } from './feeds/feeds.ts'
import { feature as groups } from './groups/groups.ts'
import { historyFeature } from './history/history.ts'
import { feature as keys } from './keys/keys.ts'
import { lookupFeature } from './lookup/lookup.ts'
import { mcpFeature } from './mcp/mcp.ts'
import { feature as networks } from './networks/networks.ts'
import { feature as planning } from './networks/planning.ts'
import { createOauth } from './oauth/oauth.ts'
import { feature as pools } from './pools/pools.ts'
import { feature as ports } from './ports/ports.ts'
import { feature as racks } from './racks/racks.ts'
import { feature as relationships } from './relationships/relationships.ts'
import { feature as reservations } from './reservations/reservations.ts'
import { feature as roles } from './roles/roles.ts'
import { feature as scopes } from './scopes/scopes.ts'
import { feature as search } from './search/search.ts'
import { secretsFeature } from './secrets/secrets.ts'
import type { CheckCredentials } from './sessions/credential-check.ts'
import { sessionsFeature } from './sessions/sessions.ts'
import { createSignIn } from './sessions/sign-in.ts'
import type { SessionStore } from './sessions/store.ts'
import { feature as spaces } from './spaces/spaces.ts'
import { signInProviders, ssoFeature } from './sso/sso.ts'
import { systemFeature } from './system/system.ts'
import type { Tables } from './tables.ts'
import { usersFeature } from './users/users.ts'
import { utilizationFeature } from './utilization/utilization.ts'
import { feature as vlans } from './vlans/vlans.ts'
import { webhooksFeature } from './webhooks/webhooks.ts'

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
  readonly isStopping: () => boolean
  /** Returns the kernel that runs these features. */
  readonly kernel: () => Kernel<Tables>
  readonly db: Db<Tables>
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

export const createFeatures = (options: FeatureOptions): readonly Feature[] => {
  const signInFactors = createSignInFactors(options)
  const signIn = createSignIn({ ...options, signInFactors })
  const oauth = createOauth({ ...options, signIn })
  const listWarningSources = () => features.flatMap(({ warnings }) => (warnings ? [warnings] : []))
  const features: readonly Feature[] = [
    customFieldsFeature(options),
    spaces,
    datacenters,
    networks,
    planning,
    // After networks: it reads them when a datacenter is deleted.
    vlans,
    pools,
    reservations,
    racks,
    deviceTypesFeature(options),
    devices,
    ports,
    cables,
    relationships,
    discoveryFeature(options),
    eventsFeature(options),
    webhooksFeature(options),
    feedsFeature(options),
    dnsProvidersFeature(options),
    dnsZonesFeature(options),
    dnsRecords,
    conflicts,
    utilizationFeature(options),
    search,
    lookupFeature(options),
    dashboard,
    credentialsFeature(options),
    secretsFeature(options),
    roles,
    groups,
    scopes,
    usersFeature(options),
    keys,
    factorsFeature(options),
    sessionsFeature({ ...options, signIn, signInFactors, signInProviders }),
    ssoFeature(options),
    deviceLoginFeature(options),
    oauth.feature,
    auditFeature(options),
    databaseFeature(options),
    systemFeature({ ...options, signInProviders, warningSources: listWarningSources }),
  ]
  const ofResources = features.flatMap((feature) => feature.operations)
  const history = historyFeature({ ...options, operations: ofResources })
  const estate = estateFeature({ ...options, operations: ofResources })
  const operations = [...ofResources, ...history.operations, ...estate.operations]
  return [
    ...features,
    history,
    estate,
    docsFeature(options),
    mcpFeature({ ...options, operations, mcpAuthenticator: oauth.mcpAuthenticator }),
  ]
}
