/** The facts of racks: units in a datacenter that devices are mounted in. */
import { resource } from '../../resource/facts.ts'

export const rackFacts = resource({
  name: 'racks',
  noun: 'rack',
  schema: 'Rack',
  fields: {
    name: { type: 'name', filter: 'part' },
    datacenter_id: { type: 'reference', to: 'datacenters', filter: 'within' },
    location: { type: 'text', max: 255, description: 'Room and row', answer: '' },
    description: { type: 'text', max: 4096 },
    height: { type: 'integer', min: 1, max: 100, usual: 42, description: 'The height in units', answer: 'In units' },
    first_unit: { type: 'integer', min: 0, max: 100, usual: 1, description: 'The lowest number of a unit' },
    numbering: {
      type: 'choice',
      of: ['bottom_up', 'top_down'],
      usual: 'bottom_up',
      description: 'Where the lowest unit is: at the bottom or at the top',
    },
    max_power_w: { type: 'integer', min: 1, max: 1_000_000 },
  },
  columns: ['id', 'name', 'datacenter_id', 'location', 'height', 'max_power_w'],
  within: ['datacenter_id'],
  inputs: ['name', 'datacenter_id', 'location', 'height', 'max_power_w', 'first_unit', 'numbering'],
  refreshedBy: ['devices'],
  scope: { follows: 'datacenter_id' },
  custom: 'before times',
  summaries: {
    list: 'List racks, by name',
    create: 'Create a rack',
    get: 'Show a rack',
    update: 'Change some fields of a rack; its devices follow it to another datacenter',
    delete: 'Delete a rack; its devices stay, without a place',
  },
  args: ['name'],
  isOptional: true,
  search: ['name', 'location', 'description'],
  ranks: { menu: 10, events: 7, custom: 7, search: 6 },
})
