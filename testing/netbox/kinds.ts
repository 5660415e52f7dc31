/** Places, circuits, power, tenants, contacts and other objects of the small estate in NetBox that have no resource of their own. */
import { device, type Entry, iface, named, ref, site, tenant } from './entry.ts'

const circuits: readonly Entry[] = [
  named('circuits.circuittype', 1, 'Dark fiber', { color: '00bcd4' }),
  named('circuits.provider', 2, 'Backbone'),
  {
    kind: 'circuits.providernetwork',
    id: 1,
    fields: { name: 'Metro', provider: ref('circuits.provider', 2), service_id: 'MAN-7' },
  },
  {
    kind: 'circuits.circuit',
    id: 1,
    fields: {
      ...{ cid: 'CID-1', provider: ref('circuits.provider', 2), type: ref('circuits.circuittype', 1) },
      ...{ status: 'active', install_date: '2024-03-01', commit_rate: 500000, tenant, comments: 'Ring north' },
    },
    tags: ['prod'],
  },
  {
    kind: 'circuits.circuit',
    id: 2,
    fields: {
      ...{ cid: 'CID-2', provider: ref('circuits.provider', 2), type: ref('circuits.circuittype', 1) },
      ...{ status: 'lent-out' },
    },
  },
  {
    kind: 'circuits.circuittermination',
    id: 1,
    fields: {
      ...{ circuit: ref('circuits.circuit', 1), term_side: 'A', at: site(2), port_speed: 1000000 },
      ...{ xconnect_id: 'X-17', pp_info: 'PP 3/4', description: 'cage 2' },
    },
  },
  {
    kind: 'circuits.circuittermination',
    id: 2,
    fields: { circuit: ref('circuits.circuit', 1), term_side: 'Z', at: site(1), upstream_speed: 200000 },
  },
  {
    kind: 'circuits.circuittermination',
    id: 3,
    fields: { circuit: ref('circuits.circuit', 2), term_side: 'A', at: ref('circuits.providernetwork', 1) },
  },
  {
    kind: 'dcim.cable',
    id: 9,
    fields: { a: iface(6), b: ref('circuits.circuittermination', 1), status: 'connected', type: 'smf' },
  },
  {
    kind: 'dcim.cable',
    id: 10,
    fields: { a: ref('circuits.circuittermination', 2), b: ref('dcim.rearport', 3), status: 'connected' },
  },
]

const power: readonly Entry[] = [
  { kind: 'dcim.powerpanel', id: 1, fields: { name: 'Panel A', site: site(1), location: ref('dcim.location', 2) } },
  {
    kind: 'dcim.powerfeed',
    id: 1,
    fields: {
      ...{ name: 'A1', power_panel: ref('dcim.powerpanel', 1), status: 'active', type: 'primary', supply: 'ac' },
      ...{ phase: 'three-phase', voltage: 230, amperage: 16, max_utilization: 80, rack: ref('dcim.rack', 1) },
    },
  },
  { kind: 'dcim.powerport', id: 2, fields: { name: 'Inlet', device: device(6), type: 'iec-60309-p-n-e-6h' } },
  {
    kind: 'dcim.cable',
    id: 11,
    fields: { a: ref('dcim.powerfeed', 1), b: ref('dcim.powerport', 2), status: 'connected', type: 'power' },
  },
]

export const KIND_OBJECTS: readonly Entry[] = [
  named('dcim.region', 2, 'Netherlands', { parent: ref('dcim.region', 1) }),
  named('dcim.sitegroup', 1, 'Production sites'),
  named('dcim.location', 2, 'Cage 4', { site: site(1), parent: ref('dcim.location', 1) }),
  ...circuits,
  ...power,
]
