/** Racks, panels, consoles, power and custom fields of the small estate in NetBox. */
import { device, type Entry, iface, named, ref, site } from './entry.ts'

/** Creates a field of custom fields: its objects, and what it refers to. */
const customField = (id: number, name: string, types: readonly string[], more: Record<string, unknown>): Entry => ({
  kind: 'extras.customfield',
  id,
  fields: { name, types, weight: 100, search_weight: 1000, filter_logic: 'loose', ...more },
})

export const OBJECTS: readonly Entry[] = [
  named('dcim.rackrole', 1, 'Network'),
  {
    kind: 'dcim.rack',
    id: 2,
    fields: { name: 'R8', site: site(2), status: 'active', u_height: 10, starting_unit: 5, width: 19 },
    custom: { serial: 'RK-2' },
  },
  {
    kind: 'dcim.devicetype',
    id: 2,
    fields: {
      manufacturer: ref('dcim.manufacturer', 1),
      model: 'Panel',
      slug: 'panel',
      u_height: 1,
      is_full_depth: true,
    },
  },
  { kind: 'dcim.interfacetemplate', id: 1, fields: template(1, 'Ethernet10', '1000base-t') },
  { kind: 'dcim.interfacetemplate', id: 2, fields: template(1, 'Ethernet2', '1000base-t') },
  { kind: 'dcim.consoleporttemplate', id: 1, fields: template(1, 'Console', 'rj-45') },
  { kind: 'dcim.powerporttemplate', id: 1, fields: { ...template(1, 'PSU1', 'iec-60320-c14'), maximum_draw: 300 } },
  { kind: 'dcim.rearporttemplate', id: 1, fields: { ...template(2, 'Trunk', 'mpo'), positions: 2 } },
  {
    kind: 'dcim.frontporttemplate',
    id: 1,
    fields: { ...template(2, 'F1', 'lc'), rear: [ref('dcim.rearporttemplate', 1), 1] },
  },
  {
    kind: 'dcim.device',
    id: 4,
    fields: panel('panel-1', { site: site(1), rack: ref('dcim.rack', 1), position: 14, face: 'rear' }),
  },
  {
    kind: 'dcim.device',
    id: 5,
    fields: panel('panel-2', { site: site(2), rack: ref('dcim.rack', 2), position: 12, face: 'front' }),
  },
  {
    kind: 'dcim.device',
    id: 6,
    fields: {
      name: 'pdu-1',
      role: ref('dcim.devicerole', 1),
      site: site(1),
      rack: ref('dcim.rack', 1),
      status: 'active',
    },
    custom: { peers: [1, 2], 'Warranty until': 'never' },
  },
  {
    kind: 'dcim.interface',
    id: 7,
    fields: {
      ...{ name: 'Port-Channel1', device: device(1), type: 'lag', enabled: true, mgmt_only: false, mac: '' },
      ...{ mode: 'tagged', tagged_vlans: [ref('ipam.vlan', 3), ref('ipam.vlan', 1)], label: 'uplinks' },
    },
  },
  { kind: 'dcim.consoleport', id: 1, fields: { name: 'Management', device: device(1), type: 'rj-45', speed: 9600 } },
  { kind: 'dcim.consoleserverport', id: 1, fields: { name: 'tty1', device: device(2) } },
  {
    kind: 'dcim.powerport',
    id: 1,
    fields: { name: 'PSU1', device: device(1), type: 'iec-60320-c14', maximum_draw: 150 },
  },
  { kind: 'dcim.poweroutlet', id: 1, fields: { name: 'A1', device: device(6), type: 'iec-60320-c13', feed_leg: 'A' } },
  {
    kind: 'dcim.rearport',
    id: 1,
    fields: { name: 'Trunk', device: device(4), type: 'mpo', positions: 2, label: 'to B' },
  },
  { kind: 'dcim.frontport', id: 1, fields: front('1', 4, 1, 1) },
  { kind: 'dcim.frontport', id: 2, fields: front('2', 4, 1, 2) },
  { kind: 'dcim.rearport', id: 2, fields: { name: 'Trunk', device: device(5), type: 'mpo', positions: 2 } },
  { kind: 'dcim.frontport', id: 3, fields: front('1', 5, 2, 1) },
  { kind: 'dcim.frontport', id: 4, fields: front('2', 5, 2, 2) },
  { kind: 'dcim.rearport', id: 3, fields: { name: '1', device: device(4), type: 'lc', positions: 1 } },
  {
    kind: 'dcim.cable',
    id: 4,
    fields: {
      a: ref('dcim.frontport', 1),
      b: iface(3),
      status: 'planned',
      color: '00ff00',
      length: 5,
      length_unit: 'ft',
    },
  },
  {
    kind: 'dcim.cable',
    id: 5,
    fields: {
      a: ref('dcim.rearport', 1),
      b: ref('dcim.rearport', 2),
      status: 'connected',
      type: 'mmf-om4',
      label: 'T1',
    },
  },
  {
    kind: 'dcim.cable',
    id: 6,
    fields: { a: ref('dcim.powerport', 1), b: ref('dcim.poweroutlet', 1), status: 'connected', type: 'power' },
  },
  {
    kind: 'dcim.cable',
    id: 7,
    fields: { a: ref('dcim.consoleport', 1), b: ref('dcim.frontport', 4), status: 'connected' },
  },
  {
    kind: 'dcim.cable',
    id: 8,
    fields: { a: ref('dcim.frontport', 3), b: ref('circuits.provider', 1), status: 'connected' },
  },
  {
    kind: 'extras.customfieldchoiceset',
    id: 1,
    fields: {
      name: 'Tiers',
      choices: [
        ['gold', 'Gold'],
        ['tin', 'Tin, old'],
      ],
    },
  },
  customField(1, 'site_code', ['dcim.site', 'tenancy.tenant'], {
    ...{ type: 'text', label: 'Site code', required: true, validation_regex: '^[A-Z]', group_name: 'Codes' },
  }),
  customField(2, 'power', ['dcim.site'], { type: 'integer', validation_minimum: 0, validation_maximum: 5, default: 3 }),
  customField(3, 'live', ['dcim.site'], { type: 'boolean' }),
  customField(4, 'tier', ['dcim.site'], { type: 'select', choices: ref('extras.customfieldchoiceset', 1) }),
  customField(5, 'router', ['dcim.site'], { type: 'object', related: 'dcim.device' }),
  customField(6, 'peers', ['dcim.device', 'virtualization.virtualmachine'], {
    type: 'multiobject',
    related: 'dcim.device',
  }),
  customField(7, 'payer', ['ipam.prefix'], { type: 'object', related: 'tenancy.tenant' }),
  customField(8, 'serial', ['dcim.rack'], { type: 'text', unique: true, description: 'Of the label' }),
]

function template(type: number, name: string, of: string) {
  return { device_type: ref('dcim.devicetype', type), name, type: of }
}

function panel(name: string, more: Record<string, unknown>) {
  return { name, device_type: ref('dcim.devicetype', 2), role: ref('dcim.devicerole', 1), status: 'active', ...more }
}

function front(name: string, of: number, rear: number, position: number) {
  return { name, device: ref('dcim.device', of), type: 'lc', rear: [ref('dcim.rearport', rear), position] }
}
