/** How datacenters are read and written. */
import { contracts, type Datacenter } from '../api/contracts.ts'
import { customControl } from '../custom-fields/known-custom.tsx'
import { crud } from '../resource/crud.ts'
import { formFields } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import { fields } from './fields.ts'

export const datacenterResource: Resource<Datacenter> = {
  noun: 'datacenter',
  fields: formFields(fields, [], { custom: customControl('datacenters') }),
  nameOf: ({ name }) => name,
  ...crud(contracts.datacenters),
  changes: ['datacenters', 'networks', 'vlans', 'device'],
}
