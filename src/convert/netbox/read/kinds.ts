/** Names of NetBox: kinds of objects, and the tables and routes that hold them. */
import { getOwn } from '../../../contract/own.ts'

/** Applications of accounts, sessions and the framework. */
const UNREAD_APPS = new Set(
  'account admin auth authtoken contenttypes django django_rq secrets sessions social_django sites taggit thumbnail users'.split(
    ' ',
  ),
)

/** Records of what NetBox itself has done, with copies of earlier values, and connections to other servers: they may hold secrets. */
const UNREAD_KINDS = new Set([
  ...['core.autosyncrecord', 'core.configrevision', 'core.datafile', 'core.datasource', 'core.job', 'core.managedfile'],
  ...['core.objectchange', 'core.objecttype', 'dcim.cablepath', 'extras.cachedvalue', 'extras.configrevision'],
  ...['extras.jobresult', 'extras.notification', 'extras.objectchange', 'extras.script', 'extras.stagedchange'],
  ...[
    'extras.webhook',
    'extras.branch',
    'extras.bookmark',
    'extras.dashboard',
    'extras.subscription',
    'extras.tableconfig',
  ],
])

/** Objects of `users` that are no accounts: the teams that own other objects, since 4.5. */
const OWNERS = new Set(['users.owner', 'users.ownergroup'])

/** The kinds that resolve the numbers of content types. They are read, and no objects of the estate. */
export const CONTENT_TYPE = 'contenttypes.contenttype'

export const isRead = (kind: string): boolean => {
  if (kind === CONTENT_TYPE || OWNERS.has(kind)) return true
  const [app = ''] = kind.split('.', 1)
  return !UNREAD_APPS.has(app) && !UNREAD_KINDS.has(kind) && !/secret|userkey|sessionkey|session|token/.test(kind)
}

/** The application of a plugin with types of one's own. */
export const PLUGIN = 'netbox_custom_objects'

/** True for objects of the types of the plugin, and for the tables of pairs between them and others. */
export const isPluginObject = (kind: string): boolean =>
  kind.startsWith(`${PLUGIN}.`) && !/\.customobjecttype(?:field)?$/.test(kind)

const PLUGIN_TABLE = /^custom_objects_(\d+)(?:_(\w+))?$/

/** Returns the kind of a table of the database. @example getTableKind('dcim_devicetype') // 'dcim.devicetype' */
export const getTableKind = (table: string): string => {
  if (table === 'django_content_type') return CONTENT_TYPE
  const [, type, field] = PLUGIN_TABLE.exec(table) ?? []
  if (type !== undefined) return `${PLUGIN}.table${type}model${field === undefined ? '' : `_${field}`}`
  if (table.startsWith(`${PLUGIN}_`)) return `${PLUGIN}.${table.slice(PLUGIN.length + 1)}`
  const end = table.indexOf('_')
  return end < 0 ? table : `${table.slice(0, end)}.${table.slice(end + 1)}`
}

/** Routes with names that are not the plural of their model. */
const ROUTES: Readonly<Record<string, string>> = {
  'virtualization.interfaces': 'vminterface',
  'dcim.virtual-chassis': 'virtualchassis',
  'extras.object-changes': 'objectchange',
}

const toSingular = (word: string): string => {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

/** Routes of the plugin that are no types of its users. */
const PLUGIN_ROUTES = new Set(['custom-object-types', 'custom-object-type-fields'])

/** Returns the kind of a route of the API. @example getRouteKind('ipam/ip-addresses') // 'ipam.ipaddress' */
export const getRouteKind = (route: string): string => {
  const parts = route
    .replace(/^https?:\/\/[^/]*/, '')
    .split('/')
    .filter((part) => part !== '' && part !== 'api')
  const [app = '', name = ''] = parts[0] === 'plugins' ? parts.slice(1) : parts
  if (app === 'custom-objects' && parts[0] === 'plugins')
    return `${PLUGIN}.${PLUGIN_ROUTES.has(name) ? toSingular(name).replaceAll('-', '') : name}`
  const key = `${app}.${name}`
  return `${app}.${getOwn(ROUTES, key) ?? toSingular(name).replaceAll('-', '')}`
}

/** The kind to which a field refers, by kind of object and field, else by field. */
const REFERENCES: Readonly<Record<string, string>> = {
  asns: 'ipam.asn',
  cluster: 'virtualization.cluster',
  config_template: 'extras.configtemplate',
  device: 'dcim.device',
  device_type: 'dcim.devicetype',
  location: 'dcim.location',
  manufacturer: 'dcim.manufacturer',
  nat_inside: 'ipam.ipaddress',
  oob_ip: 'ipam.ipaddress',
  owner: 'users.owner',
  platform: 'dcim.platform',
  power_panel: 'dcim.powerpanel',
  primary_ip: 'ipam.ipaddress',
  primary_ip4: 'ipam.ipaddress',
  primary_ip6: 'ipam.ipaddress',
  module: 'dcim.module',
  rack: 'dcim.rack',
  rack_type: 'dcim.racktype',
  region: 'dcim.region',
  rir: 'ipam.rir',
  role: 'dcim.devicerole',
  site: 'dcim.site',
  import_targets: 'ipam.routetarget',
  export_targets: 'ipam.routetarget',
  tenant: 'tenancy.tenant',
  vdcs: 'dcim.virtualdevicecontext',
  virtual_chassis: 'dcim.virtualchassis',
  virtual_machine_type: 'virtualization.virtualmachinetype',
  vlan: 'ipam.vlan',
  vrf: 'ipam.vrf',
  wireless_lans: 'wireless.wirelesslan',
  'dcim.interface.bridge': 'dcim.interface',
  'dcim.interface.qinq_svlan': 'ipam.vlan',
  'dcim.poweroutlet.power_port': 'dcim.powerport',
  'dcim.rack.role': 'dcim.rackrole',
  'dcim.site.group': 'dcim.sitegroup',
  'ipam.asn.role': 'ipam.role',
  'ipam.iprange.role': 'ipam.role',
  'ipam.prefix.role': 'ipam.role',
  'ipam.vlan.group': 'ipam.vlangroup',
  'ipam.vlan.qinq_svlan': 'ipam.vlan',
  'ipam.vlan.role': 'ipam.role',
  'virtualization.vminterface.bridge': 'virtualization.vminterface',
  'virtualization.vminterface.qinq_svlan': 'ipam.vlan',
}

/** Returns the kind of the object that a field names; undefined for a value. */
export const getReferenceKind = (kind: string, field: string): string | undefined =>
  // A role of an address is a word.
  kind === 'ipam.ipaddress' && field === 'role'
    ? undefined
    : (getOwn(REFERENCES, `${kind}.${field}`) ?? getOwn(REFERENCES, field))

/** Fields that the source derives from others: they say nothing of their own. */
const DERIVED = new Set(
  (
    'url display display_url children family primary_ip parent_device config_context assigned_object scope ' +
    'link_peers link_peers_type cable_peer cable_peer_type connected_endpoint connected_endpoint_type ' +
    'connected_endpoints connected_endpoints_type connected_endpoint_reachable connected_endpoints_reachable ' +
    'l2vpn_termination mac_addresses available_power lft rght tree_id level termination_a termination_b nat_outside'
  ).split(' '),
)

/** Fields that every object of the API has. A type of the plugin may have a field with any other name. */
const DERIVED_OF_PLUGIN = new Set(['url', 'display', 'display_url', '_context'])

/** The kinds whose primary address tells which family their NetBox prefers. */
const WITH_PRIMARY = new Set(['dcim.device', 'virtualization.virtualmachine'])

/** True for a field that says nothing of its own. */
export const isDerivedOf = (kind: string, field: string): boolean => {
  if (isPluginObject(kind)) return DERIVED_OF_PLUGIN.has(field)
  return isDerived(field) && !(field === 'primary_ip' && WITH_PRIMARY.has(kind))
}

const isDerived = (field: string): boolean =>
  DERIVED.has(field) || field.startsWith('_') || field.endsWith('_count') || field.startsWith('count_')
