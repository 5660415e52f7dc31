/** The contract of roles and of the permissions they are made of. Browser-safe. */
import { z } from 'zod'
import { Filter, Page, Timestamp } from '../../platform/fields.ts'
import { operation } from '../../platform/operation.ts'

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

export const roles = {
  list: operation({
    name: 'roles.list',
    summary: 'List roles',
    http: 'GET /api/roles',
    effect: 'read',
    access: 'roles:list',
    input: z.object({ name: Filter.optional().describe('Part of the name, in any case'), ...Page }),
    output: z.array(Role),
  }),
  permissions: operation({
    name: 'roles.permissions',
    summary: 'List every permission there is',
    http: 'GET /api/permissions',
    effect: 'read',
    // The catalogue is in the documentation too; who holds what is not in it.
    access: 'authenticated',
    cli: { command: 'permission list' },
    input: z.object(Page),
    output: z.array(CataloguePermission),
  }),
}
