/** The facts of address spaces: sets of addresses in which each means one thing, such as a VRF. */
import { resource } from '../../resource/facts.ts'

export const spaceFacts = resource({
  name: 'spaces',
  noun: 'space',
  plural: 'address spaces',
  schema: 'Space',
  fields: {
    name: { type: 'name', filter: 'part' },
    description: { type: 'text', max: 4096 },
    reachable: {
      type: 'flag',
      usual: false,
      description: 'True if the routes of this server lead into it, so that it may scan there',
    },
  },
  columns: ['id', 'name', 'reachable', 'description'],
  scope: 'read in area',
  operators: 'read',
  custom: 'last',
  summaries: {
    list: 'List address spaces',
    create: 'Create an address space, in which subnets and addresses of other spaces may occur again',
    get: 'Show an address space',
    update: 'Change some fields of an address space',
    delete: 'Delete an address space that no network, address, feed or DNS zone is in',
  },
  args: ['name'],
  isOptional: true,
  search: ['name', 'description'],
  ranks: { menu: 3, custom: 1, search: 8 },
})
