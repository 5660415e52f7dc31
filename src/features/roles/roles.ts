/** The rules of roles: what they hold, and how they are listed. */
import { JsonList } from '../../platform/answer.ts'
import { containsText } from '../../platform/db/contains.ts'
import { etagOf } from '../../platform/etag.ts'
import { listRows } from '../../platform/list.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { type CataloguePermission, type Role, roles } from './api.ts'
import { CATALOGUE, SYSTEM_ROLES, systemRole } from './catalogue.ts'
import * as store from './store.ts'

/** What the holder of all these roles may do. */
export const permissionsOfRoles = async (scope: Pick<Ctx, 'db'>, roleIds: readonly string[]): Promise<Set<string>> => {
  const custom = roleIds.filter((id) => !systemRole(id))
  return new Set([
    ...roleIds.flatMap((id) => systemRole(id)?.permissions ?? []),
    ...(await store.permissionsOf(scope, custom)),
  ])
}

const CATALOGUE_TAG = etagOf(JSON.stringify([CATALOGUE, SYSTEM_ROLES]))

const roleOf = (row: store.StoredRole, stored: readonly string[]): Role => {
  const system = systemRole(row.id)
  return {
    id: row.id,
    name: row.name,
    description: system?.description ?? row.description,
    is_system: row.is_system === 1,
    permissions: [...(system?.permissions ?? stored)],
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

export const feature: Feature = {
  operations: implement(roles, {
    list: async (ctx, { name, ...page }) => {
      const query = store.query(ctx)
      const revision = await ctx.store.revision(['roles', 'role_permissions'])
      // Beforehand: a stream holds a connection, and must not wait for a second one.
      const stored = await store.permissionsByRole(ctx)
      return listRows(ctx, {
        // What system roles hold changes with the program.
        revision: `${revision} ${CATALOGUE_TAG}`,
        query: name ? query.where(containsText('name_key', name)) : query,
        page,
        row: (role): Role => roleOf(role, stored.get(role.id) ?? []),
      })
    },
    permissions: async (_ctx, { limit, offset = 0 }) =>
      new JsonList<CataloguePermission>({
        revision: CATALOGUE_TAG,
        total: async () => CATALOGUE.length,
        rows: async function* () {
          yield CATALOGUE.slice(offset, limit === undefined ? undefined : offset + limit).map((one) =>
            JSON.stringify(one),
          )
        },
      }),
  }),
}
