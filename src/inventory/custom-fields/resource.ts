/** The facts of custom fields: the definitions of the values that objects have in `custom`. */
import { resource } from '../../resource/facts.ts'

const MAX_POSITION = 1_000_000

export const customFieldFacts = resource({
  name: 'custom-fields',
  noun: 'custom field',
  plural: 'custom fields',
  schema: 'CustomField',
  fields: {
    resource: { type: 'own', required: true, filter: 'equal' },
    name: { type: 'own', required: true },
    label: {
      type: 'text',
      max: 128,
      description: 'The name in forms and tables; the name of the field, where empty',
      answer: '',
    },
    type: {
      type: 'choice',
      of: ['text', 'integer', 'number', 'boolean', 'date', 'choice', 'url', 'ip', 'reference'],
      required: true,
    },
    multiple: {
      type: 'flag',
      usual: false,
      description: 'A choice, an address or a reference with several values',
      answer: 'True for a list of values',
    },
    choices: { type: 'own', cell: 'list' },
    reference_to: { type: 'own' },
    required: { type: 'flag', usual: false, description: 'Objects need a value from now on', answer: '' },
    unique: { type: 'flag', usual: false, description: 'No two objects have the same value, in any case', answer: '' },
    default: { type: 'own' },
    pattern: {
      type: 'text',
      max: 256,
      description: 'A regular expression in the syntax of RE2 that the whole text matches',
      answer: '',
    },
    minimum: { type: 'number', description: 'The least integer or number', answer: '' },
    maximum: { type: 'number', description: 'The greatest integer or number', answer: '' },
    searchable: {
      type: 'flag',
      usual: false,
      description: 'Searches find the values of a text, a choice or a URL; addresses are always found',
      answer: '',
    },
    description: { type: 'text', max: 4096, description: 'The help text', answer: '' },
    group: { type: 'text', max: 128, description: 'The heading above the field in forms', answer: '' },
    position: {
      type: 'integer',
      min: -MAX_POSITION,
      max: MAX_POSITION,
      usual: 0,
      description: 'The order of the fields of a group',
      answer: '',
    },
    only_for: { type: 'own', cell: 'record', onlyWithValue: true },
  },
  computed: { objects: { type: 'own', after: 'updated_at' } },
  columns: ['id', 'resource', 'name', 'label', 'type', 'required', 'group'],
  inputs: ['resource', 'name', 'type'],
  identity: ['resource', 'name'],
  order: ['resource', 'group', 'position', 'name'],
  scope: 'everywhere',
  operators: 'read',
  summaries: {
    list: 'List custom fields, by resource, group, position and name',
    create: 'Define a custom field of a resource',
    get: 'Show a custom field',
    update: 'Change a custom field; a new name renames the values of all objects',
    delete: 'Delete a custom field; one with values only with `force`, which deletes them too',
  },
  args: ['resource', 'name', 'type'],
  isOptional: true,
  eventTexts: {
    created: 'A custom field was defined',
    updated: 'Fields of a definition were changed; `changes` names them',
  },
  ranks: { events: 4 },
})
