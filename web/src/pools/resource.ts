/** How pools are read, written, searched and sorted. */
import { contracts, type Network, type Pool } from '../api/contracts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields, buildTableSpec } from '../resource/fields.ts'
import type { Names } from '../resource/from-facts.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { buildPoolFields, fields } from './fields.ts'

const ORDER = ['name', 'network_id', 'start_ip', 'end_ip', 'tags', 'description']
/** The filters that are offered first. */
const FILTERS = ['tags', 'network_id']

export const buildPoolResource = (networks: readonly Network[]): Resource<Pool> => ({
  noun: 'pool',
  fields: buildFormFields(fields, ORDER, {
    network_id: {
      options: [['', 'Choose one'], ...networks.map(({ id, name, subnet }) => [id, `${subnet} · ${name}`] as const)],
    },
    custom: buildCustomControl('pools'),
  }),
  getName: ({ name }) => name,
  ...createCrud(contracts.pools),
  changes: ['pools', 'pool', 'reservations'],
})

/** @param names of networks by their ids */
export const buildPoolSpec = (names: Names): TableSpec<Pool> => {
  const spec = buildTableSpec(buildPoolFields(names), FILTERS)
  return { ...spec, sorts: { ...spec.sorts, free: ({ utilization }) => utilization?.available_ips ?? 0 } }
}
