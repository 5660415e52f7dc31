/** The facts of datacenters. */
import { resource } from '../../resource/facts.ts'

export const datacenterFacts = resource({
  name: 'datacenters',
  noun: 'datacenter',
  schema: 'Datacenter',
  fields: {
    name: { type: 'name', filter: 'part' },
    location: { type: 'text', max: 255 },
    description: { type: 'text', max: 4096 },
  },
  columns: ['id', 'name', 'location', 'description'],
  detail: 'location',
  scope: 'area',
  operators: 'read',
  custom: 'last',
  summaries: {
    list: 'List datacenters',
    create: 'Create a datacenter',
    get: 'Show a datacenter',
    update: 'Change some fields of a datacenter',
    delete: 'Delete a datacenter; its networks and devices stay, without a datacenter',
  },
  args: ['name'],
  mcp: ['list'],
  search: ['name', 'location', 'description'],
  ranks: { menu: 2, custom: 2, search: 4 },
})
