/** The facts of relationships: links, containment and dependencies between devices. */
import { resource } from '../../resource/facts.ts'

export const relationshipFacts = resource({
  name: 'relationships',
  noun: 'relationship',
  plural: 'relationships between devices',
  schema: 'Relationship',
  fields: {
    parent_id: { type: 'reference', to: 'devices', required: true, onDelete: 'cascade' },
    child_id: { type: 'reference', to: 'devices', required: true, onDelete: 'cascade' },
    type: {
      type: 'choice',
      of: ['contains', 'connected_to', 'depends_on'],
      required: true,
      description:
        'contains: the parent contains the child; connected_to: a link; depends_on: the parent needs the child',
    },
    notes: { type: 'text', max: 4096 },
  },
  columns: ['parent_id', 'type', 'child_id', 'notes'],
  inputs: ['parent_id', 'type'],
  identity: ['parent_id', 'child_id', 'type'],
  fixed: ['parent_id', 'child_id', 'type'],
  order: ['parent_id'],
  refs: false,
  updates: false,
  scope: { follows: ['parent_id', 'child_id'] },
  summaries: {
    list: 'List all relationships',
    create: 'Relate a device to another',
    get: 'Show a relationship',
    update: 'Change some fields of a relationship',
    delete: 'Delete a relationship',
  },
  args: ['device_id', 'type', 'child_id'],
  ranks: { menu: 8 },
})
