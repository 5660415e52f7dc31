/** The contract of roles and their permissions. Browser-safe. */
import { z } from 'zod'
import { draft, Filter, idOf, Name, Page, patch, Timestamp, text } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { CATALOGUE, normalizePermission, SYSTEM_ROLES } from './catalogue.ts'

export const Role = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    is_system: z.boolean().describe("Comes with Plat and can't be changed"),
    permissions: z.array(z.string()).describe('Names of permissions, sorted'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Role', columns: ['id', 'name', 'is_system', 'description'] })
export type Role = z.infer<typeof Role>

export const CataloguePermission = z
  .object({ name: z.string(), resource: z.string(), action: z.string(), description: z.string() })
  .meta({ id: 'Permission', columns: ['name', 'description'] })
export type CataloguePermission = z.infer<typeof CataloguePermission>

/** Far above the size of the catalog. */
export const MAX_PERMISSIONS = 1000

/** The name of a permission of the catalog, converted to its spelling. */
export const PermissionName = z
  .string()
  .meta({ examples: ['devices:read'], exact: { enum: CATALOGUE.map(({ name }) => name) } })
  .transform((name, check): string => {
    const known = normalizePermission(name)
    if (known !== undefined) return known
    check.addIssue('is not a permission; /api/permissions lists all of them')
    return z.NEVER
  })

const fields = {
  description: text(4096),
  permissions: z
    .array(PermissionName)
    .max(MAX_PERMISSIONS)
    .nullable()
    .transform((names) => [...new Set(names ?? [])].sort())
    .describe('Names of permissions, as in /api/permissions; you must hold each of them yourself'),
}

export const RoleDraft = z.object({ name: Name, ...draft(fields) })
export type RoleDraft = z.output<typeof RoleDraft>

/** Declares the id of a role that did not come with Plat. */
const ownId = idOf('roles').meta({ exact: { not: { enum: SYSTEM_ROLES.map(({ id }) => id) } } })

export const RolePatch = z.object({ id: ownId, ...patch({ name: Name, ...fields }) })
export type RolePatch = z.output<typeof RolePatch>

const One = z.object({ id: idOf('roles') })

export const roles = {
  list: operation({
    name: 'roles.list',
    summary: 'List roles',
    http: 'GET /api/roles',
    access: 'roles:list',
    input: () => z.object({ name: Filter.optional().describe('Part of the name, in any case'), ...Page }),
    output: () => z.array(Role),
  }),
  create: operation({
    name: 'roles.create',
    summary: 'Create a role with permissions that you hold yourself',
    http: 'POST /api/roles',
    status: 201,
    effect: 'create',
    access: 'roles:create',
    cli: { args: ['name'] },
    input: RoleDraft,
    output: Role,
  }),
  get: operation({
    name: 'roles.get',
    summary: 'Show a role and its permissions',
    http: 'GET /api/roles/{id}',
    access: 'roles:read',
    input: One,
    output: Role,
  }),
  update: operation({
    name: 'roles.update',
    summary: 'Change some fields of a role; it takes effect at once for all users who have it',
    description:
      "permissions replaces the whole list. You must hold all permissions of the role, before and after. System roles can't be changed.",
    http: 'PUT /api/roles/{id}',
    access: 'roles:update',
    input: RolePatch,
    output: Role,
  }),
  delete: operation({
    name: 'roles.delete',
    summary: 'Delete a role; users who have it lose it',
    http: 'DELETE /api/roles/{id}',
    access: 'roles:delete',
    cli: { args: ['id'] },
    input: () => z.object({ id: ownId }),
    output: () => z.void(),
  }),
  permissions: operation({
    name: 'roles.permissions',
    summary: 'List all permissions',
    http: 'GET /api/permissions',
    // The catalog is public documentation, and does not show which users have a permission.
    access: 'authenticated',
    skipsConsent: true,
    cli: { command: 'permission list' },
    input: () => z.object(Page),
    output: () => z.array(CataloguePermission),
  }),
}
