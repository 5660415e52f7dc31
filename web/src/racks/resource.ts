/** How racks are read and written. */
import { contracts, type Datacenter } from '../api/contracts.ts'
import { customControl } from '../custom-fields/known-custom.tsx'
import { crud } from '../resource/crud.ts'
import { formFields } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import { fields, type Rack } from './fields.ts'
import { CHANGES } from './queries.ts'

export const DELETE_WARNING = 'Its devices stay, without a place.'

export const rackResource = (datacenters: readonly Datacenter[]): Resource<Rack> => ({
  noun: 'rack',
  fields: formFields(fields, [], {
    datacenter_id: { options: [['', 'None'], ...datacenters.map(({ id, name }) => [id, name] as const)] },
    custom: customControl('racks'),
  }),
  nameOf: ({ name }) => name,
  ...crud(contracts.racks),
  changes: CHANGES,
})
