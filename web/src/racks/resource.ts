/** How racks are read and written. */
import { FACTS } from '../../../src/inventory/resources.ts'
import type { Datacenter } from '../api/contracts.ts'
import { buildResource, listOptions } from '../resource/build-resource.ts'
import type { Resource } from '../resource/resource.ts'
import { fields, type Rack } from './fields.ts'
import { CHANGES } from './queries.ts'

export const DELETE_WARNING = 'Its devices stay, without a place.'

export const buildRackResource = (datacenters: readonly Datacenter[]): Resource<Rack> =>
  buildResource(FACTS.racks, fields, {
    controls: { datacenter_id: { options: listOptions('None', datacenters) } },
    changes: CHANGES,
  })
