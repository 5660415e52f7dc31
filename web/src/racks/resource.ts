/** How racks are read and written. */
import { contracts, type Datacenter } from '../api/contracts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import { fields, type Rack } from './fields.ts'
import { CHANGES } from './queries.ts'

export const DELETE_WARNING = 'Its devices stay, without a place.'

export const buildRackResource = (datacenters: readonly Datacenter[]): Resource<Rack> => ({
  noun: 'rack',
  fields: buildFormFields(fields, [], {
    datacenter_id: { options: [['', 'None'], ...datacenters.map(({ id, name }) => [id, name] as const)] },
    custom: buildCustomControl('racks'),
  }),
  getName: ({ name }) => name,
  ...createCrud(contracts.racks),
  changes: CHANGES,
})
