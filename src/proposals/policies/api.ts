/** The contract of policies: which proposals need whose approval, and which objects only proposals change. Browser-safe. */
import { z } from 'zod'
import {
  draft,
  Filter,
  flagOr,
  idOf,
  Name,
  numberOr,
  Page,
  patch,
  reference,
  Timestamp,
  text,
} from '../../contract/fields/fields.ts'
import { PROPOSED_RESOURCES } from '../../inventory/resources.ts'
import { operation } from '../../kernel/operation.ts'
import { CheckName } from '../schema.ts'

export const MAX_POLICIES = 100
const MAX_OBJECTS = 10_000
const MAX_APPROVALS = 10
const MAX_CHECKS = 20

/** The permissions of items: of the writes of the estate, with rules and locks of discovery, and of the writes of DNS records. */
const POLICY_PERMISSIONS = [...PROPOSED_RESOURCES, 'discovery' as const, 'dns' as const].flatMap((resource) =>
  (['create', 'update', 'delete'] as const).map((verb) => `${resource}:${verb}` as const),
)
const KNOWN: ReadonlySet<string> = new Set(POLICY_PERMISSIONS)

/** True for a permission that policies may name. */
export const isPolicyPermission = (permission: string): boolean => KNOWN.has(permission)

const PolicyPermission = z.enum(POLICY_PERMISSIONS, {
  error: 'must be a write of the estate, such as devices:update, or of dns',
})

export const Policy = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    enabled: z.boolean(),
    permissions: z.array(z.string()).describe('Of the items that it applies to; none for all'),
    scope_id: z.string().nullable().describe('It applies to objects in this scope; null for all'),
    min_objects: z.int().describe('It applies to a proposal with at least so many of these items'),
    approvals: z.int(),
    group_id: z.string().nullable().describe('The group whose members approve; null for any approver'),
    checks: z.array(z.string()).describe('The checks that must have succeeded'),
    protect: z.boolean().describe('The objects change by merges alone'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Policy', columns: ['name', 'enabled', 'approvals', 'protect', 'description'] })
export type Policy = z.infer<typeof Policy>

const fields = {
  description: text(4096),
  enabled: flagOr(true),
  permissions: z
    .array(PolicyPermission)
    .max(POLICY_PERMISSIONS.length)
    .nullable()
    .transform((names) => [...new Set(names ?? [])].sort())
    .describe('Of the items that it applies to, such as devices:update; none for all'),
  scope_id: reference('scopes').describe('It applies to objects that are in the scope before or after'),
  min_objects: numberOr(1, { min: 1, max: MAX_OBJECTS }).describe('The fewest items that it applies to'),
  approvals: numberOr(1, { min: 0, max: MAX_APPROVALS }).describe('0 needs checks'),
  group_id: reference('groups').describe('The group whose members approve; none for any approver'),
  checks: z
    .array(CheckName)
    .max(MAX_CHECKS)
    .nullable()
    .transform((names) => [...new Set(names ?? [])])
    .describe('The checks that must have succeeded'),
  protect: flagOr(false).describe('Refuses changes of these objects by other calls than a merge'),
}

export const PolicyDraft = z.object({ name: Name, ...draft(fields) })
export type PolicyDraft = z.output<typeof PolicyDraft>

export const PolicyPatch = z.object({ id: idOf('policies'), ...patch({ name: Name, ...fields }) })
export type PolicyPatch = z.output<typeof PolicyPatch>

const One = z.object({ id: idOf('policies') })

export const policies = {
  list: operation({
    name: 'policies.list',
    summary: 'List policies, by name',
    http: 'GET /api/policies',
    access: 'policies:list',
    input: () => z.object({ name: Filter.optional().describe('Part of the name, in any case'), ...Page }),
    output: () => z.array(Policy),
  }),
  create: operation({
    name: 'policies.create',
    summary: 'Ask for approvals and checks of proposals that touch some objects',
    http: 'POST /api/policies',
    status: 201,
    effect: 'create',
    access: 'policies:create',
    cli: { args: ['name'] },
    mcp: 'hidden',
    input: PolicyDraft,
    output: Policy,
  }),
  get: operation({
    name: 'policies.get',
    summary: 'Show a policy',
    http: 'GET /api/policies/{id}',
    access: 'policies:read',
    input: One,
    output: Policy,
  }),
  update: operation({
    name: 'policies.update',
    summary: 'Change a policy',
    http: 'PUT /api/policies/{id}',
    access: 'policies:update',
    errors: [409],
    mcp: 'hidden',
    input: PolicyPatch,
    output: Policy,
  }),
  delete: operation({
    name: 'policies.delete',
    summary: 'Delete a policy',
    http: 'DELETE /api/policies/{id}',
    access: 'policies:delete',
    mcp: 'hidden',
    input: One,
    output: () => z.void(),
  }),
}
