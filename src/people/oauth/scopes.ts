/** Scopes are permissions of the catalog, separated by spaces (RFC 6749 3.3). Pure. */
import { buildAlternation, matchWhole } from '../../contract/fields/text-rules.ts'
import { CATALOGUE, normalizePermission, PERMISSION_TABLE, SYSTEM_ROLES } from '../roles/catalogue.ts'

/** @example parseScopes('devices:list  devices:read') // ['devices:list', 'devices:read'] */
export const parseScopes = (text: string): string[] => [...new Set(text.split(' ').filter((scope) => scope !== ''))]

export const formatScopes = (scopes: Iterable<string>): string => [...scopes].join(' ')

const listRolePermissions = (role: string): readonly string[] =>
  SYSTEM_ROLES.find(({ name }) => name === role)?.permissions ?? []

/** The default scope of a client that requests none: the permissions of a viewer. */
export const READING: readonly string[] = listRolePermissions('viewer')

/** The scope in the challenge of /mcp: the permissions of an operator, which delete nothing. */
export const EVERYDAY: readonly string[] = listRolePermissions('operator')

export const ALL_SCOPES: readonly string[] = CATALOGUE.map(({ name }) => name)

/** Returns the scopes in the spelling and order of the catalog; undefined if it lacks one of them. */
export const parseKnownScopes = (text: string): string[] | undefined => {
  const names = parseScopes(text).map(normalizePermission)
  if (names.includes(undefined)) return undefined
  return ALL_SCOPES.filter((scope) => names.some((name) => name === scope))
}

const NAMES_PATTERN = buildAlternation(
  ...PERMISSION_TABLE.map(({ resource, actions }) => `${resource}:${buildAlternation(...actions)}`),
)
/** Scopes of the catalog, as RFC 6749 3.3 writes them. */
export const SCOPE_PATTERN = matchWhole(`${NAMES_PATTERN}(?: ${NAMES_PATTERN})*`)

/** Returns the scopes that the catalog has, in its order; ignores all others. */
export const parseCatalogued = (text: string): string[] => {
  const names = new Set<string | undefined>(parseScopes(text).map(normalizePermission))
  return ALL_SCOPES.filter((scope) => names.has(scope))
}

/** Returns the permissions that a user has, including permissions in only a part of the estate. */
export const listHeldAnywhere = ({
  permissions,
  scopedPermissions,
}: {
  readonly permissions: ReadonlySet<string>
  readonly scopedPermissions?: ReadonlyMap<string, unknown>
}): ReadonlySet<string> => (scopedPermissions ? permissions.union(new Set(scopedPermissions.keys())) : permissions)

/** Returns the intersection. */
export const filterCommon = (scopes: readonly string[], others: ReadonlySet<string>): string[] =>
  scopes.filter((scope) => others.has(scope))
