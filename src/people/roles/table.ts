/** The tables of roles. */
export type RoleRow = {
  id: string
  name: string
  /** Lower case: names are unique in any case. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  description: string
  is_system: number
  created_at: string
  updated_at: string
}

/** The permissions of custom roles; a system role has no rows here. */
export type RolePermissionRow = { role_id: string; permission: string }

export type RoleTables = { roles: RoleRow; role_permissions: RolePermissionRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends RoleTables {}
}
