/** The facts of reservations: held addresses of a pool. */
import { resource } from '../../resource/facts.ts'

export const reservationFacts = resource({
  name: 'reservations',
  noun: 'reservation',
  plural: 'address reservations',
  schema: 'Reservation',
  fields: {
    pool_id: { type: 'reference', to: 'pools', required: true, onDelete: 'cascade' },
    ip_address: { type: 'ip', required: true },
    hostname: { type: 'text', max: 253, rule: 'HOST_NAME' },
    mac_address: {
      type: 'mac',
      onlyWithValue: true,
      description: 'The MAC address of the host that gets the address',
      answer: 'Absent where none is recorded',
    },
    purpose: { type: 'text', max: 255 },
    notes: { type: 'text', max: 4096 },
    expires_at: { type: 'moment' },
    created_by: { type: 'text', max: 255, isComputed: true, answer: 'Name of the user who made it' },
  },
  columns: ['id', 'ip_address', 'hostname', 'purpose', 'expires_at', 'created_by'],
  identity: ['pool_id', 'ip_address'],
  fixed: ['pool_id', 'ip_address'],
  order: ['ip_address'],
  label: 'ip_address',
  scope: 'area',
  custom: 'last',
  customOf: 'addresses',
  summaries: {
    list: 'List the reservations of all pools',
    create: 'Reserve an address of your choice',
    get: 'Show a reservation',
    update: 'Change some fields of a reservation',
    delete: 'Free a reserved address',
  },
  args: ['pool_id', 'ip_address'],
  search: ['ip_address', 'hostname', 'mac_address', 'purpose', 'notes'],
  hasSearchIndex: true,
  ranks: { menu: 7, search: 7 },
})
