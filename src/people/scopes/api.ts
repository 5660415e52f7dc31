/** The contract of scopes: named parts of the estate, for which roles can be granted. Browser-safe. */
import { z } from 'zod'
import { draft, Filter, idOf, Name, Page, patch, Tags, Timestamp, text } from '../../contract/fields/fields.ts'
import { CIDR_PATTERN, matchWhole } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'
import { parseCidr } from '../../net/cidr.ts'

export const Scope = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    datacenter_ids: z.array(z.string()).describe('These datacenters, with their networks, pools and devices'),
    space_ids: z.array(z.string()).describe('All that has an address in these address spaces'),
    subnets: z.array(z.string()).describe('All that has an address in these subnets of the default space'),
    tags: z.array(z.string()).describe('Devices and pools with one of these tags'),
    kind_ids: z.array(z.string()).optional().describe('All objects of these kinds; absent without any'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Scope', columns: ['id', 'name', 'datacenter_ids', 'subnets', 'tags'] })
export type Scope = z.infer<typeof Scope>

const Count = z
  .int()
  .nullable()
  .describe('null without the permission to list them everywhere')
  .meta({ examples: [1] })

export const ScopeCounts = z
  .object({ datacenters: Count, networks: Count, pools: Count, devices: Count })
  .meta({ id: 'ScopeCounts' })
export type ScopeCounts = z.infer<typeof ScopeCounts>

export const ListedScope = Scope.extend({ counts: ScopeCounts.optional().describe('With include=counts') }).meta({
  id: 'ListedScope',
  columns: ['id', 'name', 'datacenter_ids', 'subnets', 'tags'],
})
export type ListedScope = z.infer<typeof ListedScope>

/** The largest number of entries of one list. */
const MAX_ENTRIES = 200

const Subnet = z
  .string()
  .max(64)
  .refine((value) => parseCidr(value) !== undefined, {
    error: 'must be an IPv4 or IPv6 network with a prefix length, like 10.0.0.0/24',
  })
  .meta({ exact: { pattern: matchWhole(CIDR_PATTERN) } })

const buildListSchema = <T extends z.ZodType<string>>(item: T) =>
  z
    .array(item)
    .max(MAX_ENTRIES)
    .nullable()
    .transform((items) => [...new Set(items ?? [])])

const fields = {
  description: text(4096),
  datacenter_ids: buildListSchema(idOf('datacenters')),
  space_ids: buildListSchema(idOf('spaces')),
  subnets: buildListSchema(Subnet).describe('Subnets in CIDR notation, in the default address space'),
  tags: Tags.describe('Tags of devices and pools'),
  kind_ids: buildListSchema(idOf('kinds')).describe('Kinds, with all their objects'),
}

export const ScopeDraft = z.object({ name: Name, ...draft(fields) })
export type ScopeDraft = z.output<typeof ScopeDraft>

export const ScopePatch = z.object({ id: idOf('scopes'), ...patch({ name: Name, ...fields }) })
export type ScopePatch = z.output<typeof ScopePatch>

const One = z.object({ id: idOf('scopes') })

const HANDS_OUT = 'You must hold all permissions that are granted in the scope.'

export const scopes = {
  list: operation({
    name: 'scopes.list',
    summary: 'List scopes, the named parts of the estate for which roles are granted',
    http: 'GET /api/scopes',
    access: 'scopes:list',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        include: z
          .array(z.enum(['counts']))
          .optional()
          .describe('counts adds the number of objects in each scope'),
        ...Page,
      }),
    output: () => z.array(ListedScope),
  }),
  create: operation({
    name: 'scopes.create',
    summary: 'Create a scope of datacenters, address spaces, subnets, tags and kinds; each of them adds to it',
    http: 'POST /api/scopes',
    status: 201,
    effect: 'create',
    access: 'scopes:create',
    cli: { args: ['name'] },
    input: ScopeDraft,
    output: Scope,
  }),
  get: operation({
    name: 'scopes.get',
    summary: 'Show a scope',
    http: 'GET /api/scopes/{id}',
    access: 'scopes:read',
    input: One,
    output: Scope,
  }),
  update: operation({
    name: 'scopes.update',
    summary: 'Change some fields of a scope; it takes effect at once for all who have a role in it',
    description: HANDS_OUT,
    http: 'PUT /api/scopes/{id}',
    access: 'scopes:update',
    input: ScopePatch,
    output: Scope,
  }),
  delete: operation({
    name: 'scopes.delete',
    summary: 'Delete a scope with the grants in it',
    description: HANDS_OUT,
    http: 'DELETE /api/scopes/{id}',
    access: 'scopes:delete',
    input: One,
    output: () => z.void(),
    errors: [409],
  }),
  counts: operation({
    name: 'scopes.counts',
    summary: 'Count the objects in a scope',
    http: 'GET /api/scopes/{id}/counts',
    access: 'scopes:read',
    input: One,
    output: ScopeCounts,
  }),
}
