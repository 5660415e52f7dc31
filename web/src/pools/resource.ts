/** How pools are read, written, searched and sorted. */
import { DEFAULT_SPACE, parseIpKey } from '../../../src/net/ip.ts'
import { contracts, type Network, type Pool } from '../api/contracts.ts'
import { buildCustomSpec } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { KNOWN_FILTERS, REFS_FORM } from '../resource/known-fields.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'

export const buildPoolResource = (networks: readonly Network[]): Resource<Pool> => ({
  noun: 'pool',
  fields: [
    { name: 'name', label: 'Name', isRequired: true },
    {
      name: 'network_id',
      label: 'Network',
      kind: 'select',
      isRequired: true,
      isFixed: true,
      options: [['', 'Choose one'], ...networks.map(({ id, name, subnet }) => [id, `${subnet} · ${name}`] as const)],
    },
    { name: 'start_ip', label: 'First address', isMono: true, isRequired: true },
    { name: 'end_ip', label: 'Last address', isMono: true, isRequired: true },
    { name: 'tags', label: 'Tags', kind: 'tags', hint: 'With commas between them' },
    { name: 'description', label: 'Description', kind: 'area' },
    buildCustomSpec('pools'),
    REFS_FORM,
  ],
  getName: ({ name }) => name,
  ...createCrud(contracts.pools),
  changes: ['pools', 'pool', 'reservations'],
})

export const buildPoolSpec = (names: ReadonlyMap<string, string>): TableSpec<Pool> => {
  const network = ({ network_id }: Pool): string => names.get(network_id) ?? ''
  return {
    id: ({ id }) => id,
    text: (pool) => [pool.name, pool.start_ip, pool.end_ip, pool.description, network(pool), ...pool.tags].join('\n'),
    sorts: {
      name: ({ name }) => name,
      network,
      range: ({ start_ip }) => parseIpKey(start_ip, DEFAULT_SPACE) ?? start_ip,
      utilization: ({ utilization }) => utilization?.utilization ?? 0,
      free: ({ utilization }) => utilization?.available_ips ?? 0,
    },
    fields: {
      tag: ({ tags }, value) => tags.some((tag) => tag.toLowerCase().startsWith(value)),
      network: (pool, value) => network(pool).toLowerCase().includes(value),
      ...KNOWN_FILTERS.fields,
    },
    facets: { tag: ({ tags }) => tags, network: (pool) => [network(pool)], ...KNOWN_FILTERS.facets },
  }
}
