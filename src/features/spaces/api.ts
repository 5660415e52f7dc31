/** The contract of address spaces: sets of addresses in which each means one thing, such as a VRF. Browser-safe. */
import { z } from 'zod'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  Filter,
  flagOr,
  idOf,
  Name,
  NewId,
  Page,
  patch,
  Timestamp,
  text,
} from '../../platform/contract/fields.ts'
import { sortField } from '../../platform/contract/sort.ts'
import { operation } from '../../platform/operation/operation.ts'
import { customFilter, customInput, customOutput } from '../custom-fields/fields.ts'
import { DEFAULT, isDefault } from './fields.ts'

export const Space = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    reachable: z.boolean().describe('True if the routes of this server lead into it, so that it may scan there'),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    custom: customOutput('spaces'),
  })
  .meta({ id: 'Space', columns: ['id', 'name', 'reachable', 'description'] })
export type Space = z.infer<typeof Space>

const isNotDefault = (value: string): boolean => !isDefault(value)
const NOT_DEFAULT = { error: `"${DEFAULT}" is the space of all networks and addresses without one` }
const SpaceName = Name.refine(isNotDefault, NOT_DEFAULT)

const fields = {
  description: text(4096),
  reachable: flagOr(false).describe('True if the routes of this server lead into it, so that it may scan there'),
  refs: RefsInput,
  managed_by: ManagedBy,
  custom: customInput('spaces'),
}

export const SpaceDraft = z.object({
  id: NewId.refine(isNotDefault, NOT_DEFAULT).optional(),
  name: SpaceName,
  ...draft(fields),
})
export type SpaceDraft = z.output<typeof SpaceDraft>

export const SpacePatch = z.object({ id: idOf('spaces'), ...patch({ name: SpaceName, ...fields }) })
export type SpacePatch = z.output<typeof SpacePatch>

const One = z.object({ id: idOf('spaces') })

export const spaces = {
  list: operation({
    name: 'spaces.list',
    summary: 'List address spaces',
    http: 'GET /api/spaces',
    supportsAsOf: true,
    access: 'spaces:list',
    scope: 'filter',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        managed_by: ManagedByFilter,
        custom: customFilter('spaces'),
        sort: sortField(),
        ...Page,
      }),
    output: () => z.array(Space),
  }),
  create: operation({
    name: 'spaces.create',
    summary: 'Create an address space, in which subnets and addresses of other spaces may occur again',
    http: 'POST /api/spaces',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'spaces:create',
    cli: { args: ['name'] },
    input: SpaceDraft,
    output: Space,
  }),
  get: operation({
    name: 'spaces.get',
    summary: 'Show an address space',
    http: 'GET /api/spaces/{id}',
    supportsAsOf: true,
    access: 'spaces:read',
    scope: 'checkPath',
    input: One,
    output: Space,
  }),
  update: operation({
    name: 'spaces.update',
    summary: 'Change some fields of an address space',
    description: BY_REF,
    http: 'PUT /api/spaces/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'spaces:update',
    input: SpacePatch,
    output: Space,
  }),
  delete: operation({
    name: 'spaces.delete',
    summary: 'Delete an address space that no network, address, feed or DNS zone is in',
    http: 'DELETE /api/spaces/{id}',
    hasHistory: true,
    errors: [409],
    access: 'spaces:delete',
    input: One,
    output: () => z.void(),
  }),
}
