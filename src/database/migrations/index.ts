/** The registry of migrations, in order. */
import type { Migration } from '../migrate.ts'
import { inventory } from './0001-inventory.ts'
import { access } from './0002-access.ts'
import { secrets } from './0003-secrets.ts'
import { accessMore } from './0004-access-more.ts'
import { audit } from './0005-audit.ts'
import { auditPlaces } from './0006-audit-places.ts'
import { deviceOrder } from './0007-device-order.ts'
import { discovery } from './0008-discovery.ts'
import { events } from './0009-events.ts'
import { conflicts } from './0010-conflicts.ts'
import { utilization } from './0011-utilization.ts'
import { oauth } from './0012-oauth.ts'
import { plans } from './0013-plans.ts'
import { lookup } from './0014-lookup.ts'
import { openDeliveries } from './0016-open-deliveries.ts'
import { discoveryScale } from './0017-discovery-scale.ts'
import { instances } from './0018-instances.ts'
import { lookupFound } from './0020-lookup-found.ts'
import { searchAcrossDots } from './0021-search-across-dots.ts'
import { keyMakers } from './0022-key-makers.ts'
import { userLooks } from './0023-user-looks.ts'
import { signInKeys } from './0025-sign-in-keys.ts'
import { sealedHeaders } from './0026-sealed-headers.ts'
import { userUpperLooks } from './0027-user-upper-looks.ts'
import { auditKeyOwners } from './0029-audit-key-owners.ts'
import { randomMacs } from './0030-random-macs.ts'
import { leases } from './0031-leases.ts'
import { history } from './0040-history.ts'
import { externalIds } from './0041-external-ids.ts'
import { addressNames } from './0042-address-names.ts'
import { feeds } from './0043-feeds.ts'
import { discoveredLeases } from './0044-leases.ts'
import { dns } from './0045-dns.ts'
import { spaces } from './0046-spaces.ts'
import { vlans } from './0047-vlans.ts'
import { reservationMac } from './0048-reservation-mac.ts'
import { customFields } from './0049-custom-fields.ts'
import { racks } from './0051-racks.ts'
import { ports } from './0052-ports.ts'
import { groups } from './0053-groups.ts'
import { sso } from './0054-sso.ts'
import { secondFactors } from './0055-second-factors.ts'
import { narrowKeys } from './0056-narrow-keys.ts'
import { scopes } from './0057-scopes.ts'
import { areasOfDiscovery } from './0058-areas-of-discovery.ts'
import { searchBuffer } from './0059-search-buffer.ts'
import { credentialUsers } from './0060-credential-users.ts'
import { deliveryChanges } from './0061-delivery-changes.ts'
import { providerLogouts } from './0064-provider-logouts.ts'
import { providerMakers } from './0065-provider-makers.ts'
import { zoneTransfers } from './0067-zone-transfers.ts'
import { endedSessions } from './0070-ended-sessions.ts'
import { nameOrder } from './0071-name-order.ts'
import { search } from './0073-search.ts'
import { deviceNameOrder } from './0074-device-name-order.ts'
import { dnsDelegations } from './0075-dns-delegations.ts'
import { idempotencyChanges } from './0076-idempotency-changes.ts'
import { deliveryOrder } from './0077-delivery-order.ts'
import { views } from './0080-views.ts'
import { datacenterTree } from './0084-datacenter-tree.ts'
import { deviceIdentity } from './0085-device-identity.ts'
import { customConditions } from './0086-custom-conditions.ts'
import { kinds } from './0087-kinds.ts'
import { certificates } from './0088-certificates.ts'
import { notifications } from './0089-notifications.ts'
import { netboxIds } from './0090-netbox-ids.ts'
import { scanners } from './0091-scanners.ts'
import { presence } from './0092-presence.ts'
import { sources } from './0093-sources.ts'
import { proposals } from './0094-proposals.ts'

export const migrations: readonly Migration[] = [
  inventory,
  access,
  secrets,
  accessMore,
  audit,
  auditPlaces,
  deviceOrder,
  discovery,
  events,
  conflicts,
  utilization,
  oauth,
  plans,
  lookup,
  openDeliveries,
  discoveryScale,
  instances,
  lookupFound,
  searchAcrossDots,
  keyMakers,
  userLooks,
  signInKeys,
  sealedHeaders,
  userUpperLooks,
  auditKeyOwners,
  randomMacs,
  leases,
  history,
  externalIds,
  addressNames,
  feeds,
  discoveredLeases,
  dns,
  spaces,
  vlans,
  reservationMac,
  customFields,
  racks,
  ports,
  groups,
  sso,
  secondFactors,
  narrowKeys,
  scopes,
  areasOfDiscovery,
  searchBuffer,
  credentialUsers,
  deliveryChanges,
  providerLogouts,
  providerMakers,
  zoneTransfers,
  endedSessions,
  nameOrder,
  search,
  deviceNameOrder,
  dnsDelegations,
  idempotencyChanges,
  deliveryOrder,
  views,
  datacenterTree,
  deviceIdentity,
  customConditions,
  kinds,
  certificates,
  notifications,
  netboxIds,
  scanners,
  presence,
  sources,
  proposals,
]
