/** The VLANs contract: a VLAN gives a number of a place its name. Browser-safe. */
import { z } from 'zod'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  Filter,
  idOf,
  line,
  Name,
  NewId,
  Page,
  patch,
  reference,
  Timestamp,
  text,
} from '../../platform/contract/fields.ts'
import { sortField } from '../../platform/contract/sort.ts'
import { operation } from '../../platform/operation/operation.ts'
import { customFilter, customInput, customOutput } from '../custom-fields/fields.ts'

export const Vlan = z
  .object({
    id: z.string(),
    vlan_id: z.int().describe('The VLAN number'),
    name: z.string(),
    datacenter_id: z.string().nullable(),
    group: z.string(),
    description: z.string(),
    network_ids: z
      .array(z.string())
      .describe(
        'The networks of this number in its datacenter. Without a datacenter: those that belong to no VLAN of their own datacenter',
      ),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    custom: customOutput('vlans'),
  })
  .meta({ id: 'Vlan', columns: ['id', 'vlan_id', 'name', 'datacenter_id', 'group', 'description'] })
export type Vlan = z.infer<typeof Vlan>

const VlanNumber = z.int().min(1).max(4094).describe('The VLAN number')

const fields = {
  datacenter_id: reference('datacenters'),
  group: line(255)
    .nullable()
    .transform((value) => (value ?? '').trim())
    .describe('Tells VLANs of one number in one place apart, such as those of a second fabric'),
  description: text(4096),
  refs: RefsInput,
  managed_by: ManagedBy,
  custom: customInput('vlans'),
}

export const VlanDraft = z.object({ id: NewId.optional(), vlan_id: VlanNumber, name: Name, ...draft(fields) })
export type VlanDraft = z.output<typeof VlanDraft>

export const VlanPatch = z.object({ id: idOf('vlans'), ...patch({ vlan_id: VlanNumber, name: Name, ...fields }) })
export type VlanPatch = z.output<typeof VlanPatch>

const One = z.object({ id: idOf('vlans') })

export const vlans = {
  list: operation({
    name: 'vlans.list',
    summary: 'List VLANs, by number',
    http: 'GET /api/vlans',
    supportsAsOf: true,
    access: 'vlans:list',
    scope: 'filter',
    shows: ['networks'],
    input: () =>
      z.object({
        vlan_id: z.int().optional().describe('The VLAN number'),
        name: Filter.optional().describe('Part of the name, in any case'),
        datacenter_id: idOf('datacenters').optional(),
        group: Filter.optional().describe('The group, in any case'),
        managed_by: ManagedByFilter,
        custom: customFilter('vlans'),
        sort: sortField(['vlan_id']),
        ...Page,
      }),
    output: () => z.array(Vlan),
  }),
  create: operation({
    name: 'vlans.create',
    summary: 'Create a VLAN, which gives a VLAN number its name',
    http: 'POST /api/vlans',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'vlans:create',
    scope: 'checkWrite',
    cli: { args: ['vlan_id', 'name'] },
    input: VlanDraft,
    output: Vlan,
  }),
  get: operation({
    name: 'vlans.get',
    summary: 'Show a VLAN',
    http: 'GET /api/vlans/{id}',
    supportsAsOf: true,
    access: 'vlans:read',
    scope: 'checkPath',
    shows: ['networks'],
    input: One,
    output: Vlan,
  }),
  update: operation({
    name: 'vlans.update',
    summary: 'Change some fields of a VLAN',
    description: BY_REF,
    http: 'PUT /api/vlans/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'vlans:update',
    scope: 'checkWrite',
    input: VlanPatch,
    output: Vlan,
  }),
  delete: operation({
    name: 'vlans.delete',
    summary: 'Delete a VLAN; networks keep their VLAN number',
    http: 'DELETE /api/vlans/{id}',
    hasHistory: true,
    access: 'vlans:delete',
    scope: 'checkWrite',
    input: One,
    output: () => z.void(),
  }),
}
