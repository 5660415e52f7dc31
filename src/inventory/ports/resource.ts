/** The facts of ports: the interfaces, consoles and power sockets of devices, and the ports of panels. */
import { resource } from '../../resource/facts.ts'

export const portFacts = resource({
  name: 'ports',
  noun: 'port',
  schema: 'Port',
  fields: {
    device_id: { type: 'reference', to: 'devices', required: true, onDelete: 'cascade', filter: 'equal' },
    name: { type: 'text', max: 64, required: true },
    kind: { type: 'choice', of: ['network', 'console', 'power'], usual: 'network', filter: 'equal' },
    type: { type: 'text', max: 64, description: 'Such as 1000base-t', answer: '' },
    speed_mbps: { type: 'integer', min: 1, max: 1_000_000_000 },
    mac_address: { type: 'mac' },
    enabled: { type: 'flag', usual: true },
    parent_id: {
      type: 'reference',
      to: 'ports',
      description: 'The port of the same device that this one is part of: a LAG, or the port of a breakout',
    },
    pass_through: { type: 'flag', usual: false, description: 'The port of a panel, with a front and a rear' },
    vlan_id: { type: 'integer', min: 1, max: 4094, description: 'The untagged VLAN number' },
    tagged_vlan_ids: { type: 'own', cell: 'list' },
    description: { type: 'text', max: 4096 },
  },
  computed: { peers: { type: 'own', after: 'custom' } },
  columns: ['id', 'device_id', 'name', 'kind', 'type', 'mac_address', 'description'],
  within: ['device_id'],
  fixed: ['device_id'],
  refreshedBy: ['cables'],
  order: ['device_id', 'name'],
  scope: { follows: 'device_id' },
  custom: 'last',
  summaries: {
    list: 'List ports, by device and name',
    create: 'Create a port of a device',
    get: 'Show a port',
    update: 'Change some fields of a port; a new name also goes to `interface` of the addresses of its device',
    delete: 'Delete a port with its cables',
  },
  args: ['device_id', 'name'],
  isOptional: true,
})
