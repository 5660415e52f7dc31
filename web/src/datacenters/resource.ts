/** How datacenters are read and written. */
import { FACTS } from '../../../src/inventory/resources.ts'
import type { Datacenter } from '../api/contracts.ts'
import { buildResource } from '../resource/build-resource.ts'
import type { Resource } from '../resource/resource.ts'
import { fields } from './fields.ts'

/** @param datacenters those that a datacenter may be below */
export const buildDatacenterResource = (datacenters: readonly Datacenter[]): Resource<Datacenter> =>
  buildResource(FACTS.datacenters, fields, {
    controls: { parent_id: { options: datacenters.map(({ id, name, location }) => [id, name, location] as const) } },
  })
