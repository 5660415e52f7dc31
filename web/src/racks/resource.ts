/** How racks are read and written. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildResource } from '../resource/build-resource.ts'
import type { Resource } from '../resource/resource.ts'
import { fields, type Rack } from './fields.ts'
import { CHANGES } from './queries.ts'

export const DELETE_WARNING = 'Its devices stay, without a place.'

export const RACK_RESOURCE: Resource<Rack> = buildResource(FACTS.racks, fields, { changes: CHANGES })
