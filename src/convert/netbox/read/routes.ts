/** The routes of a NetBox that are read by its API: all that hold objects of an estate. */

const ROUTES: Readonly<Record<string, string>> = {
  circuits:
    'circuit-groups circuit-group-assignments circuit-terminations circuit-types circuits provider-accounts ' +
    'provider-networks providers virtual-circuit-terminations virtual-circuit-types virtual-circuits',
  dcim:
    'cable-bundles cables console-port-templates console-ports console-server-port-templates console-server-ports ' +
    'device-bays device-roles device-types devices front-port-templates front-ports interface-templates interfaces ' +
    'inventory-item-roles inventory-items locations mac-addresses manufacturers module-bays module-types ' +
    'modules platforms power-feeds power-outlet-templates power-outlets power-panels power-port-templates power-ports rack-groups rack-reservations rack-roles ' +
    'rack-types racks rear-port-templates rear-ports regions site-groups sites virtual-chassis virtual-device-contexts',
  extras:
    'config-contexts config-templates custom-field-choice-sets custom-fields custom-links export-templates ' +
    'image-attachments journal-entries tags',
  ipam:
    'aggregates asn-ranges asns fhrp-group-assignments fhrp-groups ip-addresses ip-ranges prefixes rirs roles ' +
    'route-targets service-templates services vlan-groups vlan-translation-policies vlan-translation-rules vlans vrfs',
  tenancy: 'contact-assignments contact-groups contact-roles contacts tenant-groups tenants',
  users: 'owner-groups owners',
  virtualization:
    'cluster-groups cluster-types clusters interfaces virtual-disks virtual-machine-types virtual-machines',
  vpn:
    'ike-policies ike-proposals ipsec-policies ipsec-profiles ipsec-proposals l2vpn-terminations l2vpns ' +
    'tunnel-groups tunnel-terminations tunnels',
  wireless: 'wireless-lan-groups wireless-lans wireless-links',
}

/** Says the version. */
export const STATUS_ROUTE = 'status'

/** The types of the plugin netbox_custom_objects. Each of them has a route. */
export const TYPE_ROUTE = 'plugins/custom-objects/custom-object-types'
export const TYPE_FIELD_ROUTE = 'plugins/custom-objects/custom-object-type-fields'

/** Returns the route of the objects of a type. */
export const toObjectRoute = (slug: string): string => `plugins/custom-objects/${slug}`

/** Routes of objects that become rows. Every version has these routes. A NetBox without them is none. */
export const NEEDED: ReadonlySet<string> = new Set(['dcim/sites', 'dcim/devices', 'ipam/prefixes', 'ipam/ip-addresses'])

export const API_ROUTES: readonly string[] = Object.entries(ROUTES).flatMap(([app, names]) =>
  names.split(' ').map((name) => `${app}/${name}`),
)
