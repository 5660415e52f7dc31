/** The facts of networks. */
import { resource } from '../../resource/facts.ts'

export const networkFacts = resource({
  name: 'networks',
  noun: 'network',
  schema: 'Network',
  fields: {
    name: { type: 'name', filter: 'part' },
    subnet: { type: 'text', max: 64, required: true },
    vlan_id: { type: 'integer', min: 1, max: 4094, filter: 'equal' },
    datacenter_id: { type: 'reference', to: 'datacenters', filter: 'within' },
    description: { type: 'text', max: 4096 },
  },
  laterFields: {
    space_id: { type: 'reference', to: 'spaces', onlyWithValue: true, onDelete: 'refuse' },
    scanner: {
      type: 'text',
      max: 255,
      trim: true,
      description: 'The name or a tag of the scanners that scan it; empty: the server',
      answer: '',
    },
  },
  columns: ['id', 'name', 'subnet', 'vlan_id', 'datacenter_id', 'description'],
  within: ['space_id'],
  apart: ['subnet', 'datacenter_id'],
  inputs: ['name', 'subnet', 'vlan_id', 'datacenter_id', 'space_id', 'scanner', 'description', 'custom'],
  detail: 'subnet',
  refreshedBy: ['devices', 'reservations'],
  sorts: ['subnet'],
  scope: 'area',
  custom: 'last',
  summaries: {
    list: 'List networks',
    create: 'Create a network',
    get: 'Show a network',
    update: 'Change some fields of a network',
    delete:
      'Delete a network with its pools, reservations, scans and discovered devices; addresses stay, without a network',
  },
  args: ['name', 'subnet'],
  mcp: ['list', 'get'],
  search: ['name', 'subnet', 'description'],
  ranks: { menu: 5, events: 2, custom: 3, search: 2 },
})
