/** The facts of VLANs: a VLAN names a VLAN number of a datacenter. */
import { resource } from '../../resource/facts.ts'

export const vlanFacts = resource({
  name: 'vlans',
  noun: 'VLAN',
  plural: 'VLANs',
  schema: 'Vlan',
  fields: {
    vlan_id: { type: 'integer', min: 1, max: 4094, required: true, filter: 'equal', description: 'The VLAN number' },
    name: { type: 'name', filter: 'part' },
    datacenter_id: { type: 'reference', to: 'datacenters', filter: 'within' },
    group: {
      type: 'text',
      max: 255,
      trim: true,
      filter: 'same',
      description: 'Tells VLANs of one number in one place apart, such as those of a second fabric',
      answer: '',
    },
    description: { type: 'text', max: 4096 },
  },
  computed: {
    network_ids: {
      type: 'ids',
      of: 'networks',
      after: 'description',
      answer:
        'The networks of this number in its datacenter. Without a datacenter: those that belong to no VLAN of their own datacenter',
    },
  },
  columns: ['id', 'vlan_id', 'name', 'datacenter_id', 'group', 'description'],
  identity: ['vlan_id', 'datacenter_id', 'group'],
  detail: 'vlan_id',
  order: ['vlan_id', 'name'],
  sorts: ['vlan_id'],
  scope: { follows: 'datacenter_id' },
  custom: 'last',
  summaries: {
    list: 'List VLANs, by number',
    create: 'Create a VLAN, which gives a VLAN number its name',
    get: 'Show a VLAN',
    update: 'Change some fields of a VLAN',
    delete: 'Delete a VLAN; networks keep their VLAN number',
  },
  args: ['vlan_id', 'name'],
  isOptional: 'page',
  search: ['name', 'vlan_id', 'group', 'description'],
  ranks: { menu: 4, events: 3, custom: 4, search: 5 },
})
