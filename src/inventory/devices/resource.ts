/** The facts of devices. */
import { resource } from '../../resource/facts.ts'

export const deviceFacts = resource({
  name: 'devices',
  noun: 'device',
  schema: 'Device',
  fields: {
    name: { type: 'name' },
    hostname: { type: 'text', max: 253, rule: 'HOST_NAME' },
    description: { type: 'text', max: 4096 },
    make_model: { type: 'text', max: 255 },
    os: { type: 'text', max: 255 },
    status: {
      type: 'choice',
      of: ['planned', 'active', 'maintenance', 'decommissioned'],
      usual: 'active',
    },
    datacenter_id: { type: 'reference', to: 'datacenters' },
    username: { type: 'text', max: 255 },
    location: { type: 'text', max: 255 },
    tags: { type: 'tags' },
    addresses: { type: 'own', cell: 'addresses' },
    domains: { type: 'own', cell: 'list' },
  },
  laterFields: {
    device_type_id: {
      type: 'reference',
      to: 'device-types',
      onlyWithValue: true,
      description: 'The device type',
      answer: 'The device type; absent without one',
    },
    mount: { type: 'own', cell: 'record', onlyWithValue: true },
  },
  columns: ['id', 'name', 'status', 'os', 'addresses', 'tags'],
  apart: ['datacenter_id'],
  refreshedBy: ['relationships'],
  scope: 'area',
  custom: 'before times',
  summaries: {
    list: 'List devices',
    create: 'Create a device',
    get: 'Show a device',
    update: 'Change some fields of a device; a list replaces the whole list',
    delete: 'Delete a device with its addresses and relationships',
  },
  args: ['name'],
  mcp: ['list', 'create', 'get', 'update'],
  search: ['name', 'hostname', 'addresses', 'tags', 'domains', 'os', 'make_model', 'location', 'description'],
  ranks: { menu: 1, events: 1, custom: 6, search: 1 },
})
