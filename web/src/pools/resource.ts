/** How pools are read, written, searched and sorted. */
import { FACTS } from '../../../src/inventory/resources.ts'
import type { Pool } from '../api/contracts.ts'
import { buildResource } from '../resource/build-resource.ts'
import type { Names } from '../resource/facts/from-facts.ts'
import { buildTableSpec } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { buildPoolFields, fields } from './fields.ts'

const ORDER = ['name', 'network_id', 'start_ip', 'end_ip', 'tags', 'description']
/** The filters that are offered first. */
const FILTERS = ['tags', 'network_id']

export const POOL_RESOURCE: Resource<Pool> = buildResource(FACTS.pools, fields, { order: ORDER })

/** @param names of networks by their ids */
export const buildPoolSpec = (names: Names): TableSpec<Pool> => {
  const spec = buildTableSpec(buildPoolFields(names), FILTERS)
  return { ...spec, sorts: { ...spec.sorts, free: ({ utilization }) => utilization?.available_ips ?? 0 } }
}
