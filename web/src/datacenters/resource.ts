/** How datacenters are read and written. */
import { api, tagged } from '../api/client.ts'
import { contracts, type Datacenter } from '../api/contracts.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'

export const datacenterResource: Resource<Datacenter> = {
  noun: 'datacenter',
  fields: [
    { name: 'name', label: 'Name', isRequired: true },
    { name: 'location', label: 'Location' },
    { name: 'description', label: 'Description', kind: 'area' },
  ],
  nameOf: (datacenter) => datacenter.name,
  operations: contracts.datacenters,
  get: (id) => tagged(contracts.datacenters.get, { id }),
  // A form has every field that is required; the server validates their values.
  create: (input) => api.datacenters.create(input as { name: string }),
  update: (id, input, etag) => api.datacenters.update({ ...input, id }, { headers: { 'If-Match': etag } }),
  remove: (id) => api.datacenters.delete({ id }),
  changes: ['datacenters', 'networks', 'device'],
}

export const datacenterSpec: TableSpec<Datacenter> = {
  id: ({ id }) => id,
  text: ({ name, location, description }) => `${name}\n${location}\n${description}`,
  sorts: { name: ({ name }) => name, location: ({ location }) => location, updated: ({ updated_at }) => updated_at },
  fields: { location: ({ location }, value) => location.toLowerCase().includes(value) },
  facets: { location: ({ location }) => [location] },
}
