/** The host variables that differ between a NetBox and the Plat that has imported it, each with its reason. */

/** Variables by their path without the keys of lists. */
export const DIFFERENCES: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)(url|display_url)$/, 'the addresses of Plat'],
  [/(^|\.)(created|last_updated)$/, 'Plat keeps the times of its objects'],
  [
    /(^|\.)(tags\[\]|role|ip_addresses\[\]|ipaddresses\[\]|mac_addresses\[\]|primary_mac_address)\.id$/,
    'names, MAC addresses and addresses of devices get new numbers',
  ],
  [/^(primary_ip4|ansible_host)$/, 'the first address of a device is its primary address'],
  [/^(rack_role|cluster_group|cluster_type)$/, 'has no place in Plat'],
  [/^config_context$/, 'NetBox 4.7 adds it although it was excluded'],
  [/^custom_fields\.support(\.value|\.label)?$/, 'NetBox 4.7 has objects where 4.5 has texts'],
  [/^interfaces\[\]\.(channels|channel_id)$/, 'fields of NetBox 4.7'],
  [/^services\[\]\.port_mappings\[\]$/, 'a field of NetBox 4.7'],
  [/^services\[\]\.display$/, 'NetBox 4.7 shows the name alone'],
  [/\.custom_fields\.rir$/, 'a custom field that the importer makes'],
  [/\.(role|vrf)\.(vlan_count|prefix_count)$/, 'counts that NetBox 4.7 leaves out'],
  [/^site\.region\.site_count$/, 'NetBox counts the sites of a region only in its own list'],
  [/^site\.vlan_count$/, 'VLANs of a group belong to the site of the group'],
  [/^services\[\]\.ipaddresses\[\]\.nat_outside$/, 'a field that go-netbox requires'],
  [/^site\.status\.(value|label)$/, 'sites have no status'],
  [/\.(is_pool|mark_utilized|mtu|mgmt_only)$/, 'has a place only by a custom field'],
  [/\.(description|comments)$/, 'the importer notes here what has no place'],
]
