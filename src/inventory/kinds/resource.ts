/** The facts of kinds: types of objects that users define. */
import { resource } from '../../resource/facts.ts'
import { KIND_ICONS } from './icons.ts'

const MAX_POSITION = 1_000_000

export const kindFacts = resource({
  name: 'kinds',
  noun: 'kind',
  schema: 'Kind',
  fields: {
    name: { type: 'name', filter: 'part', example: 'Circuits', description: 'The plural noun, as lists are called: Circuits', answer: '' },
    singular: {
      type: 'text',
      max: 64,
      trim: true,
      description: 'The singular noun; made of the name, where empty',
      answer: '',
    },
    description: { type: 'text', max: 4096, description: 'Shown above the list', answer: '' },
    icon: { type: 'choice', of: KIND_ICONS, usual: 'box', description: 'The icon, by its name in Lucide', answer: '' },
    nested: { type: 'flag', usual: false, description: 'Objects may have a parent of the same kind' },
    located: { type: 'flag', usual: false, description: 'Objects may have a datacenter' },
    unique_names: { type: 'flag', usual: true, description: 'Names are unique in the kind, in any case' },
    navigation: { type: 'flag', usual: true, description: 'The sidebar has an entry' },
    position: {
      type: 'integer',
      min: -MAX_POSITION,
      max: MAX_POSITION,
      usual: 0,
      description: 'The order of kinds in lists and in the sidebar',
      answer: '',
    },
  },
  computed: { objects: { type: 'own', after: 'updated_at' }, fields: { type: 'own', after: 'objects' } },
  columns: ['id', 'name', 'singular', 'description'],
  order: ['position', 'name'],
  scope: 'everywhere',
  operators: 'read',
  summaries: {
    list: 'List kinds, the types of objects that users define, by position and name',
    create: 'Define a kind, with its custom fields',
    get: 'Show a kind',
    update: 'Change a kind',
    delete: 'Delete a kind without objects, with its custom fields',
  },
  args: ['name'],
  isOptional: true,
  eventTexts: {
    created: 'A kind was defined',
    updated: 'Fields of a kind were changed; `changes` names them',
  },
  ranks: { events: 9 },
})
