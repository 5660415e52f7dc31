/** The facts of cables: a cable connects two ports of devices. */
import { resource } from '../../resource/facts.ts'

export const cableFacts = resource({
  name: 'cables',
  noun: 'cable',
  schema: 'Cable',
  fields: {
    a: { type: 'own', required: true, cell: 'record' },
    b: { type: 'own', required: true, cell: 'record' },
    type: { type: 'text', max: 64, description: 'Such as cat6a', answer: '' },
    label: { type: 'text', max: 64, filter: 'same' },
    color: { type: 'text', max: 64 },
    length_m: { type: 'number', min: 0, max: 1_000_000 },
    status: {
      type: 'choice',
      of: ['connected', 'planned', 'decommissioned'],
      usual: 'connected',
      filter: 'equal',
    },
    description: { type: 'text', max: 4096 },
  },
  columns: ['id', 'a', 'b', 'type', 'label', 'color', 'length_m', 'status'],
  refreshedBy: ['ports'],
  order: ['label'],
  sorts: ['label'],
  label: 'label',
  scope: { follows: ['a', 'b'] },
  custom: 'last',
  summaries: {
    list: 'List cables, by label',
    create: 'Connect two ports by a cable; ports that are not there are made',
    get: 'Show a cable',
    update: 'Change some fields of a cable; its ends never change',
    delete: 'Delete a cable; its ports stay',
  },
  args: [],
  isOptional: true,
  eventTexts: { created: 'Two ports were connected by a cable' },
  search: ['label', 'type', 'color', 'description'],
  hasSearchIndex: true,
  ranks: { menu: 12, events: 6, custom: 9, search: 11 },
})
