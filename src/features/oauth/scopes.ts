/** Scopes are permissions of the catalogue, separated by spaces (RFC 6749 3.3). Pure. */
import { oneOf, whole } from '../../platform/contract/text-rules.ts'
import { CATALOGUE, canonicalPermission, PERMISSION_TABLE, SYSTEM_ROLES } from '../roles/catalogue.ts'

/** @example scopesOf('devices:list  devices:read') // ['devices:list', 'devices:read'] */
export const scopesOf = (text: string): string[] => [...new Set(text.split(' ').filter((scope) => scope !== ''))]

export const scopeText = (scopes: Iterable<string>): string => [...scopes].join(' ')

const heldBy = (role: string): readonly string[] => SYSTEM_ROLES.find(({ name }) => name === role)?.permissions ?? []

/** The default scope of a client that requests none: the permissions of a viewer. */
export const READING: readonly string[] = heldBy('viewer')

/** The scope in the challenge of /mcp: the permissions of an operator, which delete nothing. */
export const EVERYDAY: readonly string[] = heldBy('operator')

export const ALL_SCOPES: readonly string[] = CATALOGUE.map(({ name }) => name)

/** Returns the scopes in the spelling and order of the catalogue; undefined if it lacks one of them. */
export const knownScopes = (text: string): string[] | undefined => {
  const names = scopesOf(text).map(canonicalPermission)
  if (names.includes(undefined)) return undefined
  return ALL_SCOPES.filter((scope) => names.some((name) => name === scope))
}

const NAMES_PATTERN = oneOf(...PERMISSION_TABLE.map(({ resource, actions }) => `${resource}:${oneOf(...actions)}`))
/** Scopes of the catalogue, as RFC 6749 3.3 writes them. */
export const SCOPE_PATTERN = whole(`${NAMES_PATTERN}(?: ${NAMES_PATTERN})*`)

/** Returns the scopes that the catalogue has, in its order; ignores all others. */
export const catalogued = (text: string): string[] => {
  const names = new Set<string | undefined>(scopesOf(text).map(canonicalPermission))
  return ALL_SCOPES.filter((scope) => names.has(scope))
}

/** Returns the permissions that a user has, be it in a part of the estate alone. */
export const heldAnywhere = ({
  permissions,
  reach,
}: {
  readonly permissions: ReadonlySet<string>
  readonly reach?: ReadonlyMap<string, unknown>
}): ReadonlySet<string> => (reach ? permissions.union(new Set(reach.keys())) : permissions)

/** Returns the intersection. */
export const common = (scopes: readonly string[], others: ReadonlySet<string>): string[] =>
  scopes.filter((scope) => others.has(scope))
