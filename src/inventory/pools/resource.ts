/** The facts of pools: ranges of a network from which addresses are allocated. */
import { resource } from '../../resource/facts.ts'

export const poolFacts = resource({
  name: 'pools',
  noun: 'pool',
  plural: 'address pools',
  schema: 'Pool',
  fields: {
    network_id: { type: 'reference', to: 'networks', required: true, onDelete: 'cascade' },
    name: { type: 'name', filter: 'part' },
    start_ip: { type: 'ip', required: true },
    end_ip: { type: 'ip', required: true },
    description: { type: 'text', max: 4096 },
    tags: { type: 'tags' },
  },
  computed: { utilization: { type: 'own', after: 'updated_at' } },
  columns: ['id', 'name', 'network_id', 'start_ip', 'end_ip', 'tags'],
  within: ['network_id'],
  fixed: ['network_id'],
  detail: 'start_ip',
  refreshedBy: ['networks', 'devices', 'reservations'],
  scope: 'area',
  custom: 'last',
  summaries: {
    list: 'List the pools of every network',
    create: 'Create a pool in a network',
    get: 'Show a pool',
    update: 'Change some fields of a pool',
    delete: 'Delete a pool with its reservations; addresses stay, without a pool',
  },
  args: ['network_id', 'name', 'start_ip', 'end_ip'],
  mcp: ['list'],
  search: ['name', 'start_ip', 'end_ip', 'description', 'tags'],
  ranks: { menu: 6, custom: 5, search: 3 },
})
