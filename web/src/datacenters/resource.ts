/** How datacenters are read and written. */
import { contracts, type Datacenter } from '../api/contracts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import { fields } from './fields.ts'

export const datacenterResource: Resource<Datacenter> = {
  noun: 'datacenter',
  fields: buildFormFields(fields, [], { custom: buildCustomControl('datacenters') }),
  getName: ({ name }) => name,
  ...createCrud(contracts.datacenters),
  changes: ['datacenters', 'networks', 'vlans', 'device'],
}
