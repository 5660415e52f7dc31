/** The resources with custom fields, as the editor calls them. */
import type { CustomResource } from './values.ts'

/** In the order of the editor. */
export const RESOURCE_TITLES: Readonly<Record<CustomResource, string>> = {
  devices: 'Devices',
  addresses: 'Addresses',
  networks: 'Networks',
  vlans: 'VLANs',
  pools: 'Pools',
  datacenters: 'Datacenters',
  racks: 'Racks',
  ports: 'Ports',
  cables: 'Cables',
  spaces: 'Address spaces',
}
