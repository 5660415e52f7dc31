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
  laterFields: {
    parent_id: {
      type: 'reference',
      to: 'datacenters',
      onlyWithValue: true,
      onDelete: 'parent',
      description: 'The datacenter that this one is below, such as its region or site',
      answer: 'The datacenter above; absent at the top',
    },
  },
  columns: ['id', 'name', 'location', 'description'],
  parent: 'parent_id',
  detail: 'location',
  scope: 'area',
  operators: 'read',
  custom: 'last',
  summaries: {
    list: 'List datacenters',
    create: 'Create a datacenter',
    get: 'Show a datacenter',
    update: 'Change some fields of a datacenter',
    delete:
      'Delete a datacenter; its networks and devices stay, without a datacenter, and those below move to the one above',
  },
  args: ['name'],
  mcp: ['list'],
  search: ['name', 'location', 'description'],
  ranks: { menu: 2, custom: 2, search: 4 },
})
