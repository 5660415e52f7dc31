/** The names of an estate document: their slugs, colors and descriptions are stored with the rows, for the NetBox API. */
import type { DocumentName, NameKind } from '../../contract/fields/document-names.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'

export type KeepNames = {
  /** Stores names, in a transaction. One that is stored already stays as it is. */
  readonly keep: (tx: Ctx, names: readonly DocumentName[]) => Promise<void>
  /** Counts the names that are not stored. */
  readonly countNew: (ctx: Ctx, names: readonly DocumentName[]) => Promise<number>
}

/** The permissions to make names. */
const PERMISSIONS: Readonly<Record<NameKind, Permission>> = {
  'dcim.devicerole': 'devices:create',
  'dcim.platform': 'devices:create',
  'dcim.manufacturer': 'device-types:create',
  'extras.tag': 'devices:create',
  'ipam.role': 'devices:create',
}

/** Returns the permissions that names need. */
export const listNamePermissions = (names: readonly DocumentName[]): Permission[] => [
  ...new Set(names.map(({ kind }) => PERMISSIONS[kind])),
]
