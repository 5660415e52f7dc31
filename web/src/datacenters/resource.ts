/** How datacenters are read and written. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildResource } from '../resource/build-resource.ts'
import { fields } from './fields.ts'

export const datacenterResource = buildResource(FACTS.datacenters, fields)
