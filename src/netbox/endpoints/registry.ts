/** The endpoints of the NetBox API. */
import type { Path } from '../endpoint/declared.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { addresses } from './addresses/addresses.ts'
import { createCustomFields } from './custom-fields.ts'
import { devices } from './devices.ts'
import { cables } from './interfaces/cables.ts'
import { deviceInterfaces } from './interfaces/device-interfaces.ts'
import { macAddresses } from './interfaces/mac-addresses.ts'
import { machineInterfaces } from './interfaces/machine-interfaces.ts'
import { prefixes } from './ipam/prefixes.ts'
import { ranges } from './ipam/ranges.ts'
import { services } from './ipam/services.ts'
import { vlans } from './ipam/vlans.ts'
import { vrfs } from './ipam/vrfs.ts'
import { deviceRoles, manufacturers, networkRoles, platforms, tags, vlanGroups } from './names/names.ts'
import { clusterTypes } from './objects/cluster-types.ts'
import { clusters } from './objects/clusters.ts'
import { tenants } from './objects/tenants.ts'
import { locations } from './places/locations.ts'
import { racks } from './places/racks.ts'
import { regions, siteGroups } from './places/regions.ts'
import { sites } from './places/sites.ts'
import { deviceTypes } from './types/device-types.ts'
import { virtualMachines } from './virtual-machines.ts'

/** Work on an endpoint, whatever its items are. */
export type EndpointWork<T> = <Item>(endpoint: Endpoint<Item>) => T

type Registered = { readonly path: Path; readonly use: <T>(work: EndpointWork<T>) => T }

const register = <Item>(endpoint: Endpoint<Item>): Registered => ({
  path: endpoint.path,
  use: (work) => work(endpoint),
})

const WITH_CUSTOM: readonly Registered[] = [
  register(sites),
  register(regions),
  register(siteGroups),
  register(locations),
  register(racks),
  register(deviceTypes),
  register(tenants),
  register(clusters),
  register(clusterTypes),
  register(deviceRoles),
  register(platforms),
  register(manufacturers),
  register(tags),
  register(networkRoles),
  register(vlanGroups),
  register(addresses),
  register(cables),
  register(deviceInterfaces),
  register(devices),
  register(machineInterfaces),
  register(prefixes),
  register(ranges),
  register(services),
  register(virtualMachines),
  register(vlans),
  register(vrfs),
]

/** The custom fields say which of the others have them. */
const customFields = createCustomFields(
  WITH_CUSTOM.map(({ use }) =>
    use(({ kind, custom }) => ({
      kind,
      resource: custom?.resource,
      serves: (name) => custom?.serves(name) ?? false,
    })),
  ),
)

export const REGISTERED: readonly Registered[] = [...WITH_CUSTOM, register(customFields), register(macAddresses)]
