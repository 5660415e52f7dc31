/** The datacenters contract. Browser-safe. */
import { z } from 'zod'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import { draft, Filter, idOf, Name, NewId, Page, patch, Timestamp, text } from '../../platform/contract/fields.ts'
import { sortField } from '../../platform/contract/sort.ts'
import { operation } from '../../platform/operation/operation.ts'
import { customFilter, customInput, customOutput } from '../custom-fields/fields.ts'
import { Device } from '../devices/schema.ts'

export const Datacenter = z
  .object({
    id: z.string(),
    name: z.string(),
    location: z.string(),
    description: z.string(),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    custom: customOutput('datacenters'),
  })
  .meta({ id: 'Datacenter', columns: ['id', 'name', 'location', 'description'] })
export type Datacenter = z.infer<typeof Datacenter>

const fields = {
  location: text(255),
  description: text(4096),
  refs: RefsInput,
  managed_by: ManagedBy,
  custom: customInput('datacenters'),
}

export const DatacenterDraft = z.object({ id: NewId.optional(), name: Name, ...draft(fields) })
export type DatacenterDraft = z.output<typeof DatacenterDraft>

export const DatacenterPatch = z.object({ id: idOf('datacenters'), ...patch({ name: Name, ...fields }) })
export type DatacenterPatch = z.output<typeof DatacenterPatch>

export const datacenters = {
  list: operation({
    name: 'datacenters.list',
    summary: 'List datacenters',
    http: 'GET /api/datacenters',
    supportsAsOf: true,
    access: 'datacenters:list',
    scope: 'filter',
    mcp: 'listed',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        managed_by: ManagedByFilter,
        custom: customFilter('datacenters'),
        sort: sortField(),
        ...Page,
      }),
    output: () => z.array(Datacenter),
  }),
  create: operation({
    name: 'datacenters.create',
    summary: 'Create a datacenter',
    http: 'POST /api/datacenters',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'datacenters:create',
    scope: 'checkWrite',
    cli: { args: ['name'] },
    input: DatacenterDraft,
    output: Datacenter,
  }),
  get: operation({
    name: 'datacenters.get',
    summary: 'Show a datacenter',
    http: 'GET /api/datacenters/{id}',
    supportsAsOf: true,
    access: 'datacenters:read',
    scope: 'checkPath',
    input: () => z.object({ id: idOf('datacenters') }),
    output: Datacenter,
  }),
  update: operation({
    name: 'datacenters.update',
    summary: 'Change some fields of a datacenter',
    description: BY_REF,
    http: 'PUT /api/datacenters/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'datacenters:update',
    scope: 'checkWrite',
    input: DatacenterPatch,
    output: Datacenter,
  }),
  delete: operation({
    name: 'datacenters.delete',
    summary: 'Delete a datacenter; its networks and devices stay, without a datacenter',
    http: 'DELETE /api/datacenters/{id}',
    hasHistory: true,
    access: 'datacenters:delete',
    scope: 'checkWrite',
    input: () => z.object({ id: idOf('datacenters') }),
    output: () => z.void(),
  }),
  devices: operation({
    name: 'datacenters.devices',
    summary: 'List the devices of a datacenter',
    http: 'GET /api/datacenters/{id}/devices',
    supportsAsOf: true,
    access: 'devices:list',
    scope: 'filter',
    input: () => z.object({ id: idOf('datacenters'), ...Page }),
    output: () => z.array(Device),
  }),
}
