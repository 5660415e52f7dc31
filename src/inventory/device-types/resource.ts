/** The facts of device types: a model with its size, its power and its ports. */
import { resource } from '../../resource/facts.ts'

export const deviceTypeFacts = resource({
  name: 'device-types',
  noun: 'device type',
  schema: 'DeviceType',
  fields: {
    name: { type: 'text', max: 255, isComputed: true, filter: 'part', answer: 'The manufacturer and the model' },
    // Both together are the name, which has at most 255 characters.
    manufacturer: { type: 'text', max: 127, required: true },
    model: { type: 'text', max: 127, required: true },
    slug: { type: 'text', max: 100 },
    part_number: { type: 'text', max: 100 },
    height: {
      type: 'number',
      min: 0,
      max: 100,
      step: 0.5,
      usual: 1,
      description: 'The height in units; 0 goes in no unit',
      answer: 'In units; 0 goes in no unit',
    },
    full_depth: { type: 'flag', usual: true },
    power_w: { type: 'integer', min: 1, max: 1_000_000 },
    description: { type: 'text', max: 4096 },
    ports: { type: 'own', cell: 'record' },
  },
  columns: ['id', 'manufacturer', 'model', 'height', 'part_number'],
  inputs: ['manufacturer', 'model', 'part_number', 'slug', 'height', 'full_depth', 'power_w', 'ports'],
  identity: ['manufacturer', 'model'],
  scope: 'everywhere',
  summaries: {
    list: 'List device types, by name',
    create: 'Create a device type',
    get: 'Show a device type',
    update: 'Change some fields of a device type; its devices stay as they are',
    delete: 'Delete a device type; its devices and their ports stay',
  },
  args: ['manufacturer', 'model'],
  isOptional: true,
  search: ['name', 'part_number', 'slug', 'description'],
  ranks: { menu: 9, events: 8, search: 9 },
})
