/** The facts of the objects of kinds. */
import { resource } from '../../resource/facts.ts'

export const objectFacts = resource({
  name: 'objects',
  noun: 'object',
  schema: 'Object',
  fields: {
    kind_id: {
      type: 'reference',
      to: 'kinds',
      required: true,
      onDelete: 'refuse',
      filter: 'equal',
      description: 'The kind, which never changes',
      answer: '',
    },
    name: { type: 'name', filter: 'part', example: 'CID-1' },
    parent_id: {
      type: 'reference',
      to: 'objects',
      onDelete: 'parent',
      description: 'The object above, of the same kind',
      answer: 'The object above; null at the top',
    },
    datacenter_id: { type: 'reference', to: 'datacenters', filter: 'within' },
    description: { type: 'text', max: 4096 },
  },
  columns: ['id', 'kind_id', 'name', 'parent_id', 'datacenter_id', 'description'],
  fixed: ['kind_id'],
  parent: 'parent_id',
  within: ['kind_id'],
  scope: 'area',
  custom: 'last',
  customBy: 'kind_id',
  summaries: {
    list: 'List objects of kinds, by name',
    create: 'Create an object of a kind',
    get: 'Show an object of a kind',
    update: 'Change some fields of an object',
    delete: 'Delete an object; the objects below it move to the one above, and values that name it go',
  },
  args: ['kind_id', 'name'],
  isOptional: true,
  search: ['name', 'description'],
  hasSearchIndex: true,
  ranks: { menu: 13, events: 10, search: 12 },
})
